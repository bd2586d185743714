"""The tests of a partner: npx sandlot exec --golive golive.html -- python3 test/tools/golive/clients/python/integration.py"""

import contextlib
import itertools
import json
import unittest
import urllib.request
import uuid

from client import URL, ApiError, Receiver, get, post, read_list, start_receiver

BUYER = {"email": "buyer@example.com", "name": "Zoë", "country": "FR"}
MAX_CHANGES = 2


def price_of(domain):
    return get("/pricing", domain=domain)["buy_now_price_cents"]


def sell(domain, price=None):
    """Sells at the price that the buyer has seen, or at the current one, and reads it again if it has changed."""
    key = str(uuid.uuid4())
    for change in itertools.count():
        if change > 0 or price is None:
            price = price_of(domain)
        order = {"domain": domain, "expected_price": price, "currency": "USD", "buyer": BUYER}
        try:
            return post("/orders", order, key)
        except ApiError as error:
            if error.code != "price_mismatch" or change == MAX_CHANGES:
                raise


def sell_quoted(domain, payment):
    """Sells at a quoted price, and renews a quote that has expired."""
    key = str(uuid.uuid4())
    for change in itertools.count():
        quote = post("/quotes", {"domain": domain})
        order = {"quote_id": quote["quote_id"], "external_payment_ref": payment}
        try:
            return post("/orders", order, key)
        except ApiError as error:
            if error.code != "quote_expired" or change == MAX_CHANGES:
                raise


class CatchUp:
    """Reads the events since its last run."""

    last = None

    def run(self):
        events, after = [], self.last
        while True:
            page = get("/events", limit=5, **({"after_id": after} if after else {}))
            events += page["events"]
            after = page["next_cursor"]
            if after is None:
                self.last = events[-1]["id"] if events else self.last
                return events


def sandbox(path, data=None, method="POST"):
    """Calls the control API of sandlot."""
    body = json.dumps(data or {}).encode() if method != "DELETE" else None
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/_sandbox{path}", body, headers, method=method)
    urllib.request.urlopen(request).close()


@contextlib.contextmanager
def fault(**rule):
    sandbox("/faults", rule)
    try:
        yield
    finally:
        sandbox("/faults", method="DELETE")


def idle():
    sandbox("/idle", {"timeout_ms": 20_000})


def advance(order, status):
    sandbox(f"/orders/{order['public_id']}/advance", {"to": status})
    idle()


def domains():
    for word in ["coffee", "travel", "music", "garden", "fitness", "photo", "bakery", "cloud"]:
        for found in get("/domains/search", q=word)["domains"]:
            if not found["domain"].endswith(".test"):
                yield found["domain"]


class IntegrationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        start_receiver()
        cls.domains = domains()
        cls.catch_up = CatchUp()

    def setUp(self):
        sandbox("/rate-limits/reset")

    def status_of(self, order):
        return get(f"/orders/{order['public_id']}")["status"]

    def test_01_discovery(self):
        get("/domains/search", q="café (bar)!")
        get(f"/domains/{next(self.domains)}")
        self.assertFalse(get("/availability", domain="active-site.test")["available"])
        with self.assertRaisesRegex(ApiError, "not_found"):
            get("/pricing", domain="active-site.test")

    def test_02_validation_error_is_not_retried(self):
        with fault(match={"path": "/pricing", "first": 3}, effect={"code": "validation_error"}):
            with self.assertRaisesRegex(ApiError, "validation_error"):
                get("/pricing", domain=next(self.domains))

    def test_03_quotes(self):
        domain = next(self.domains)
        orders = {"method": "POST", "path": "/orders"}
        with fault(match=orders, effect={"code": "quote_expired"}, times=1):
            self.assertEqual(sell_quoted(domain, "payment-1")["status"], "EXTERNALLY_PAID")
        with self.assertRaisesRegex(ApiError, "quote_expired"):
            sell_quoted("quote-expires.test", "payment-2")

    def test_04_changed_price(self):
        domain = next(self.domains)
        price = price_of(domain)
        sandbox(f"/inventory/{domain}", {"price_cents": price + 1_000}, method="PATCH")
        self.assertEqual(sell(domain, price)["sale_price_cents"], price + 1_000)
        with self.assertRaisesRegex(ApiError, "price_mismatch"):
            sell("price-moves.test")

    def test_05_not_available(self):
        for domain, code in [("reserved.test", "conflict"), ("sold-meanwhile.test", "not_found")]:
            with self.assertRaisesRegex(ApiError, code):
                sell(domain)

    def test_06_retries(self):
        orders = {"method": "POST", "path": "/orders"}
        for rule in [
            {"effect": {"code": "internal_error"}, "times": 2},
            {"effect": {"code": "rate_limited"}, "times": 1},
            {"effect": {"drop": "after"}, "times": 1},
        ]:
            domain = next(self.domains)
            with fault(match=orders, **rule):
                self.assertEqual(sell(domain)["domain"], domain)

    def test_07_settlement(self):
        order = sell("held-order.test")
        idle()
        self.assertEqual(self.status_of(order), "MANUAL_REVIEW")
        sandbox(f"/orders/{order['public_id']}/advance", {"action": "clear"})
        for status in ["TRANSFER_IN_PROGRESS", "TRANSFER_COMPLETED"]:
            advance(order, status)
            self.assertEqual(self.status_of(order), status)
        with self.assertRaisesRegex(ApiError, "conflict"):
            post("/refunds", {"public_id": order["public_id"]})
        sandbox("/settlements/run")
        idle()
        self.assertEqual(self.status_of(order), "SETTLED")
        statements = read_list("/settlements", "settlements")
        self.assertIn("CLOSED", [statement["status"] for statement in statements])

    def test_08_refund(self):
        order = sell(next(self.domains))
        post("/refunds", {"public_id": order["public_id"], "reason": "buyer changed their mind"})
        idle()
        self.assertEqual(self.status_of(order), "REFUNDED")

    def test_09_forged_webhook(self):
        before = len(Receiver.handled)
        domain = next(self.domains)
        with fault(webhook={"corrupt_signature": True}, times=1):
            sell(domain)
            idle()
        self.assertEqual(len(Receiver.handled), before)
        sandbox("/clock/advance", {"by": "5s"})
        idle()
        self.assertEqual(len(Receiver.handled), before + 1)

    def test_10_repeated_and_reordered_webhooks(self):
        order = sell(next(self.domains))
        idle()
        before = len(Receiver.handled)
        sandbox(f"/events/{list(Receiver.handled)[-1]}/resend")
        idle()
        with fault(webhook={"reorder": True}, times=1):
            advance(order, "TRANSFER_COMPLETED")
        self.assertEqual(len(Receiver.handled), before + 2)

    def test_11_catch_up(self):
        self.catch_up.run()
        domain = next(self.domains)
        with fault(webhook={"drop": True}):
            sell(domain)
            idle()
            missed = self.catch_up.run()
        self.assertTrue(missed)
        self.assertFalse(any(event["id"] in Receiver.handled for event in missed))

    def test_12_lists(self):
        orders = read_list("/orders", "orders", limit=3)
        self.assertEqual(len({order["public_id"] for order in orders}), len(orders))
        read_list("/transactions", "transactions", limit=3)

    def test_13_hosted_checkout(self):
        session = post("/checkout-session", {"domain": next(self.domains)})
        urllib.request.urlopen(session["checkout_url"]).close()
        sandbox(f"/checkout-sessions/{session['session_id']}/pay")
        sale = read_list("/me/sales", "sales")[0]
        sandbox(f"/transactions/{sale['transaction_id']}/deliver")
        sandbox("/payouts/run")
        self.assertEqual(len(read_list("/payouts", "payouts")), 1)
        self.assertEqual(len(read_list("/me/payouts", "payouts")), 1)
        read_list("/me/commissions", "commissions")

    def test_14_brokerage(self):
        domain = "wanted-by-a-buyer.com"
        self.assertTrue(get("/brokerage/eligibility", domain=domain)["eligible"])
        case = {"domain": domain, "tier": "managed", "buyer_email": BUYER["email"], "budget": 500_000}
        case_id = post("/brokerage", case)["case_id"]
        for status in ["NEGOTIATING", "COMPLETED"]:
            sandbox(f"/brokerage/{case_id}/advance", {"to": status})
        idle()
        self.assertEqual(get(f"/brokerage/{case_id}")["status"], "COMPLETED")
        read_list("/brokerage", "cases")

    def test_15_referral(self):
        link = post("/links", {"kind": "generic"})
        urllib.request.urlopen(link["url"]).close()
        self.assertGreater(get("/me/clicks")["total_clicks"], 0)
        read_list("/links", "links")
        get("/analytics")


if __name__ == "__main__":
    unittest.main()
