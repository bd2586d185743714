// The tests of a partner: npx sandlot exec --golive golive.html -- go run ./test/tools/golive/clients/go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// sandbox calls the control API of sandlot.
func sandbox(method, path string, input object) {
	body, err := json.Marshal(input)
	check(err)
	request, err := http.NewRequest(method, os.Getenv("SANDLOT_URL")+"/_sandbox"+path, bytes.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	expect(response.StatusCode < 300, method+" "+path+": "+string(text))
}

func withFault(rule object, action func()) {
	sandbox("POST", "/faults", rule)
	defer sandbox("DELETE", "/faults", object{})
	action()
}

func idle() { sandbox("POST", "/idle", object{"timeout_ms": 20000}) }

func advance(order object, status string) {
	sandbox("POST", "/orders/"+order["public_id"].(string)+"/advance", object{"to": status})
	idle()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func expectCode(err error, code string) {
	expect(isCode(err, code), fmt.Sprintf("expected %s: %v", code, err))
}

func must(result object, err error) object {
	check(err)
	return result
}

func mustList(rows []object, err error) []object {
	check(err)
	return rows
}

func statusOf(order object) any { return must(get("/orders/" + order["public_id"].(string)))["status"] }

var stock []string
var words = strings.Fields("coffee travel music garden fitness photo bakery cloud")

func nextDomain() string {
	for len(stock) == 0 {
		for _, found := range must(get("/domains/search", "q", words[0]))["domains"].([]any) {
			if name := found.(object)["domain"].(string); !strings.HasSuffix(name, ".test") {
				stock = append(stock, name)
			}
		}
		words = words[1:]
	}
	domain := stock[0]
	stock = stock[1:]
	return domain
}

var webhooks = &receiver{secret: "whsec_reference", handled: map[string]bool{}}

var tests = []func(){discovery, validationError, quotes, notAvailable, retries, settlement, refund, forgedWebhook,
	reorderedWebhooks, missedWebhooks, lists, hostedCheckout, brokerage, referral}

func main() {
	check(webhooks.register())
	for _, test := range tests {
		sandbox("POST", "/rate-limits/reset", object{})
		test()
	}
}

func discovery() {
	must(get("/domains/search", "q", "café (bar)!"))
	must(get("/domains/" + nextDomain()))
	expect(must(get("/availability", "domain", "active-site.test"))["available"] == false, "available")
	_, err := get("/pricing", "domain", "active-site.test")
	expectCode(err, "not_found")
}

func validationError() {
	domain := nextDomain()
	withFault(object{"match": object{"path": "/pricing", "first": 3}, "effect": object{"code": "validation_error"}}, func() {
		_, err := get("/pricing", "domain", domain)
		expectCode(err, "validation_error")
	})
}

func quotes() {
	domain := nextDomain()
	orders := object{"method": "POST", "path": "/orders"}
	withFault(object{"match": orders, "effect": object{"code": "quote_expired"}, "times": 1}, func() {
		expect(must(sellQuoted(domain, "payment-1"))["status"] == "EXTERNALLY_PAID", "status")
	})
	_, err := sellQuoted("quote-expires.test", "payment-2")
	expectCode(err, "quote_expired")
	domain = nextDomain()
	price := must(get("/pricing", "domain", domain))["buy_now_price_cents"].(float64)
	sandbox("PATCH", "/inventory/"+domain, object{"price_cents": price + 1000})
	expect(must(sellAt(domain, price))["sale_price_cents"] == price+1000, "the new price")
	_, err = sell("price-moves.test")
	expectCode(err, "price_mismatch")
}

func notAvailable() {
	_, err := sell("reserved.test")
	expectCode(err, "conflict")
	_, err = sell("sold-meanwhile.test")
	expectCode(err, "not_found")
}

func retries() {
	for _, rule := range []object{
		{"effect": object{"code": "internal_error"}, "times": 2},
		{"effect": object{"code": "rate_limited"}, "times": 1},
		{"effect": object{"drop": "after"}, "times": 1},
	} {
		rule["match"] = object{"method": "POST", "path": "/orders"}
		domain := nextDomain()
		withFault(rule, func() { expect(must(sell(domain))["domain"] == domain, "domain") })
	}
}

func settlement() {
	order := must(sell("held-order.test"))
	idle()
	expect(statusOf(order) == "MANUAL_REVIEW", "held")
	sandbox("POST", "/orders/"+order["public_id"].(string)+"/advance", object{"action": "clear"})
	for _, status := range []string{"TRANSFER_IN_PROGRESS", "TRANSFER_COMPLETED"} {
		advance(order, status)
		expect(statusOf(order) == status, status)
	}
	_, err := post("/refunds", object{"public_id": order["public_id"]}, "")
	expectCode(err, "conflict")
	sandbox("POST", "/settlements/run", object{})
	idle()
	expect(statusOf(order) == "SETTLED", "settled")
	isClosed := false
	for _, statement := range mustList(list("/settlements", "settlements")) {
		isClosed = isClosed || statement["status"] == "CLOSED"
	}
	expect(isClosed, "a closed statement")
}

func refund() {
	order := must(sell(nextDomain()))
	must(post("/refunds", object{"public_id": order["public_id"], "reason": "buyer changed their mind"}, ""))
	idle()
	expect(statusOf(order) == "REFUNDED", "refunded")
}

func forgedWebhook() {
	before, domain := webhooks.count(), nextDomain()
	withFault(object{"webhook": object{"corrupt_signature": true}, "times": 1}, func() {
		must(sell(domain))
		idle()
	})
	expect(webhooks.count() == before, "the forged webhook is rejected")
	sandbox("POST", "/clock/advance", object{"by": "5s"})
	idle()
	expect(webhooks.count() == before+1, "the valid webhook is accepted")
}

func reorderedWebhooks() {
	order := must(sell(nextDomain()))
	idle()
	before := webhooks.count()
	sandbox("POST", "/events/"+webhooks.last+"/resend", object{})
	idle()
	withFault(object{"webhook": object{"reorder": true}, "times": 1}, func() { advance(order, "TRANSFER_COMPLETED") })
	expect(webhooks.count() == before+2, "each event is handled once")
}

func missedWebhooks() {
	_, err := catchUp()
	check(err)
	domain := nextDomain()
	withFault(object{"webhook": object{"drop": true}}, func() {
		must(sell(domain))
		idle()
		missed, err := catchUp()
		check(err)
		expect(len(missed) > 0, "missed events")
	})
}

func lists() {
	mustList(list("/orders", "orders", "limit", "3"))
	mustList(list("/transactions", "transactions", "limit", "3"))
}

func visit(url any) {
	response, err := client.Get(url.(string))
	check(err)
	check(response.Body.Close())
}

func hostedCheckout() {
	session := must(post("/checkout-session", object{"domain": nextDomain()}, ""))
	visit(session["checkout_url"])
	sandbox("POST", "/checkout-sessions/"+session["session_id"].(string)+"/pay", object{})
	sale := mustList(list("/me/sales", "sales"))[0]
	sandbox("POST", "/transactions/"+sale["transaction_id"].(string)+"/deliver", object{})
	sandbox("POST", "/payouts/run", object{})
	expect(len(mustList(list("/payouts", "payouts"))) == 1, "a payout")
	mustList(list("/me/payouts", "payouts"))
	mustList(list("/me/commissions", "commissions"))
}

func brokerage() {
	domain := "wanted-by-a-buyer.com"
	expect(must(get("/brokerage/eligibility", "domain", domain))["eligible"] == true, "eligible")
	opened := must(post("/brokerage", object{"domain": domain, "tier": "managed", "buyer_email": buyer["email"], "budget": 500000}, ""))
	id := opened["case_id"].(string)
	for _, status := range []string{"NEGOTIATING", "COMPLETED"} {
		sandbox("POST", "/brokerage/"+id+"/advance", object{"to": status})
	}
	idle()
	expect(must(get("/brokerage/" + id))["status"] == "COMPLETED", "completed")
	mustList(list("/brokerage", "cases"))
}

func referral() {
	visit(must(post("/links", object{"kind": "generic"}, ""))["url"])
	expect(must(get("/me/clicks"))["total_clicks"].(float64) > 0, "a click")
	mustList(list("/links", "links"))
	must(get("/analytics"))
}
