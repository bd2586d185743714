"""A shop that sells domains of the marketplace and polls its orders: python3 shop.py, or with state or reset.

Settings: PORT, DB (a file), CLIENT_TIMEOUT_MS. Python 3.8 or newer, nothing to install.
"""

import hashlib
import hmac
import http.client
import json
import os
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DB = os.environ.get("DB", "shop.db")
TIMEOUT_S = int(os.environ.get("CLIENT_TIMEOUT_MS", "5000")) / 1000
ATTEMPTS = 6
POLL_S = 0.2
FINAL = ("SETTLED", "REFUNDED", "CANCELLED")
DELIVERED = ("TRANSFER_COMPLETED", "SETTLED")
RETURNED = ("REFUNDED", "CANCELLED")
STATUS_CODES = {"ordered": 200, "pending": 202, "failed": 402}

SCHEMA = """
CREATE TABLE IF NOT EXISTS sales (
  ref TEXT PRIMARY KEY, domain TEXT, step TEXT DEFAULT 'pending', quote_id TEXT, price_cents INTEGER, key TEXT,
  order_id TEXT, status TEXT, fulfilled INTEGER DEFAULT 0, refunded INTEGER DEFAULT 0
)"""


# The database


def query(sql, *values):
    """Runs one statement in a transaction of its own."""
    with closing(sqlite3.connect(DB, timeout=3)) as connection, connection:
        connection.row_factory = sqlite3.Row
        connection.execute(SCHEMA)
        return connection.execute(sql, values).fetchall()


def find(ref):
    return next(iter(query("SELECT * FROM sales WHERE ref = ?", ref)), None)


def update(ref, **fields):
    columns = ", ".join(f"{name} = ?" for name in fields)
    query(f"UPDATE sales SET {columns} WHERE ref = ?", *fields.values(), ref)


# The marketplace


def send(method, path, data=None, key=None):
    """Sends a request once. Returns status 0 without a response, no body without JSON, and how long to wait."""
    path = "/api/partner/v1" + path
    body = b"" if data is None else json.dumps(data).encode()
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    canonical = "\n".join([method, path, "", timestamp, nonce, hashlib.sha256(body).hexdigest()])
    secret = os.environ["SANDLOT_SECRET"].encode()
    headers = {
        "X-Service-Key-Id": os.environ["SANDLOT_KEY_ID"],
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": "v1=" + hmac.new(secret, canonical.encode(), hashlib.sha256).hexdigest(),
    }
    if body:
        headers["Content-Type"] = "application/json"
    if key:
        headers["Idempotency-Key"] = key
    url = os.environ["SANDLOT_URL"] + path
    request = urllib.request.Request(url, body or None, headers, method=method)
    try:
        try:
            response = urllib.request.urlopen(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text, status = response.read(), response.status
            retry_after = int(response.headers.get("Retry-After", 0))
    except (OSError, http.client.HTTPException):
        return 0, None, 0
    try:
        return status, json.loads(text), retry_after
    except ValueError:
        return status, None, retry_after


def is_temporary(status, body):
    return status in (0, 429) or status >= 500 or body is None


# Selling: the database says what comes next, so that a killed shop goes on where it was.

WORKING = threading.Lock()


def order(ref):
    with WORKING:
        for failures in range(ATTEMPTS):
            pause_s = next_step(ref)
            if pause_s is None:
                return
            time.sleep(pause_s or 0.01 * 2**failures)


def next_step(ref):
    """Makes the calls of a sale until one fails. Returns for how long to wait, 0 if the response does not say; None if all is done."""
    while (sale := find(ref)) and sale["step"] == "pending":
        if sale["quote_id"] is None:
            status, body, retry_after = send("POST", "/quotes", {"domain": sale["domain"]})
        else:
            data = {"quote_id": sale["quote_id"], "external_payment_ref": ref}
            status, body, retry_after = send("POST", "/orders", data, sale["key"])
        if is_temporary(status, body):
            return retry_after
        if status == 201 and sale["quote_id"] is None:
            # A new quote is a new order, so it has a new key. The buyer is charged this price.
            quote_id, price = body["quote_id"], body["price_cents"]
            update(ref, quote_id=quote_id, price_cents=price, key=str(uuid.uuid4()))
        elif status == 201:
            update(ref, step="ordered", order_id=body["public_id"], status=body["status"])
        elif body["error"]["code"] == "quote_expired":
            update(ref, quote_id=None, key=None)
        else:
            update(ref, step="failed")
    return None


def poll(sale):
    """Reads the status of an order, and delivers or pays back when it says so. Returns for how long to wait."""
    status, body, retry_after = send("GET", f"/orders/{sale['order_id']}")
    if status == 200 and body is not None:
        now = body["status"]
        delivered, returned = int(now in DELIVERED), int(now in RETURNED)
        query(
            """UPDATE sales SET status = ?, fulfilled = fulfilled + (fulfilled = 0 AND ?),
            refunded = refunded + (refunded = 0 AND ?) WHERE ref = ? AND status != ?""",
            *(now, delivered, returned, sale["ref"], now),
        )
    return retry_after


def work():
    """Goes on with what is not finished: after a start, after too many failures, and with orders that may change."""
    while True:
        pause_s = POLL_S
        for sale in query("SELECT * FROM sales WHERE step != 'failed'"):
            if sale["step"] == "pending":
                order(sale["ref"])
            elif sale["status"] not in FINAL:
                pause_s = max(pause_s, poll(sale))
        time.sleep(pause_s)


def state():
    return [
        {
            "order": sale["order_id"],
            "pending": sale["step"] == "pending",
            **{name: sale[name] for name in ("ref", "domain", "price_cents", "fulfilled", "refunded")},
            **({"status": sale["status"]} if sale["status"] else {}),
        }
        for sale in query("SELECT * FROM sales")
    ]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/health":
            self.respond(200, "ok")
        else:
            self.show(self.path.rpartition("/")[2])

    def do_POST(self):
        try:
            purchase = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            ref, domain = purchase["ref"], purchase["domain"]
        except (ValueError, KeyError, TypeError):
            self.respond(400, {"error": "domain and ref are missing"})
            return
        query("INSERT OR IGNORE INTO sales (ref, domain) VALUES (?, ?)", ref, domain)
        order(ref)
        self.show(ref)

    def show(self, ref):
        sale = find(ref)
        if sale is None:
            self.respond(404, {"error": "no such purchase"})
        else:
            names = ("domain", "order_id")
            body = {"status": sale["step"], **{name: sale[name] for name in names}}
            self.respond(STATUS_CODES[sale["step"]], body)

    def respond(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if sys.argv[1:] == ["state"]:
    print(json.dumps(state()))
elif sys.argv[1:] == ["reset"]:
    query("DELETE FROM sales")
else:
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    threading.Thread(target=work, daemon=True).start()
    server.serve_forever()
