package main

const maxChanges = 2

var buyer = object{"email": "buyer@example.com", "name": "Zoë", "country": "FR"}

// sell sells at the current price, and reads it again if it has changed.
func sell(domain string) (object, error) {
	pricing, err := get("/pricing", "domain", domain)
	if err != nil {
		return nil, err
	}
	return sellAt(domain, pricing["buy_now_price_cents"])
}

// sellAt sells at the price that the buyer has seen, and reads it again if it has changed.
func sellAt(domain string, price any) (object, error) {
	key := newKey()
	for change := 0; ; change++ {
		order, err := post("/orders", object{"domain": domain, "expected_price": price, "currency": "USD", "buyer": buyer}, key)
		if !isCode(err, "price_mismatch") || change == maxChanges {
			return order, err
		}
		pricing, err := get("/pricing", "domain", domain)
		if err != nil {
			return nil, err
		}
		price = pricing["buy_now_price_cents"]
	}
}

// sellQuoted sells at a quoted price, and renews a quote that has expired.
func sellQuoted(domain, payment string) (object, error) {
	key := newKey()
	for change := 0; ; change++ {
		quote, err := post("/quotes", object{"domain": domain}, "")
		if err != nil {
			return nil, err
		}
		order, err := post("/orders", object{"quote_id": quote["quote_id"], "external_payment_ref": payment}, key)
		if !isCode(err, "quote_expired") || change == maxChanges {
			return order, err
		}
	}
}

var lastEvent string

// catchUp reads the events since its last run.
func catchUp() ([]any, error) {
	var events []any
	for after := lastEvent; ; {
		query := []string{"limit", "5"}
		if after != "" {
			query = append(query, "after_id", after)
		}
		page, err := get("/events", query...)
		if err != nil {
			return nil, err
		}
		events = append(events, page["events"].([]any)...)
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		after = next
	}
	if len(events) > 0 {
		lastEvent = events[len(events)-1].(object)["id"].(string)
	}
	return events, nil
}
