"""A client of the partner API and a webhook receiver. Python 3.8 or newer, nothing to install."""

import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

URL = os.environ["SANDLOT_URL"]
KEY_ID = os.environ["SANDLOT_KEY_ID"]
SECRET = os.environ["SANDLOT_SECRET"]

MAX_ATTEMPTS = 4


class ApiError(Exception):
    def __init__(self, status, code, message, retry_after):
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.retry_after = status, code, retry_after


def encode(query):
    return "&".join(f"{quote(name, safe='')}={quote(str(value), safe='')}" for name, value in query)


def signed_headers(method, path, query, body):
    """Signs one attempt: a retry has its own timestamp and nonce."""
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    body_hash = hashlib.sha256(body).hexdigest()
    canonical = "\n".join([method, path, encode(sorted(query.items())), timestamp, nonce, body_hash])
    signature = hmac.new(SECRET.encode(), canonical.encode(), hashlib.sha256).hexdigest()
    return {
        "X-Service-Key-Id": KEY_ID,
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": f"v1={signature}",
    }


def attempt(method, path, query, body, key):
    target = f"{path}?{encode(query.items())}" if query else path
    headers = signed_headers(method, path, query, body)
    if body:
        headers["Content-Type"] = "application/json"
    if key:
        headers["Idempotency-Key"] = key
    request = urllib.request.Request(URL + target, body or None, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        details = json.load(error)["error"]
        retry_after = int(error.headers.get("Retry-After", 0))
        raise ApiError(error.code, details["code"], details["message"], retry_after) from None


def retry_delay(error, number, is_safe):
    """Returns how long to wait before the next attempt, or None to give up."""
    back_off = 0.1 * 2 ** (number - 1)
    if number >= MAX_ATTEMPTS:
        return None
    if isinstance(error, ApiError):
        return {429: error.retry_after, 500: back_off}.get(error.status)
    # No response: the request may have been handled, so only repeat what is safe to repeat.
    return back_off if is_safe else None


def call(method, path, query=None, data=None, key=None, prefix="/api/partner/v1"):
    body = json.dumps(data, ensure_ascii=False).encode() if data is not None else b""
    for number in range(1, MAX_ATTEMPTS + 1):
        try:
            return attempt(method, prefix + path, query or {}, body, key)
        except (ApiError, OSError) as error:
            delay = retry_delay(error, number, method != "POST" or key is not None)
            if delay is None:
                raise
            time.sleep(delay)


def get(path, **query):
    return call("GET", path, query)


def post(path, data, key=None):
    return call("POST", path, data=data, key=key)


def read_list(path, name, **query):
    """Reads all pages of a list."""
    page = get(path, **query)
    rows = page[name]
    while page["next_cursor"] is not None:
        page = get(path, **query, cursor=page["next_cursor"])
        rows += page[name]
    return rows


class Receiver(BaseHTTPRequestHandler):
    """Verifies the raw body, responds at once, and handles each event once, in any order."""

    secret = "whsec_reference"
    handled = {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        is_genuine = hmac.compare_digest(expected, self.headers.get("X-Service-Signature", ""))
        if is_genuine:
            event = json.loads(body)
            self.handled[event["id"]] = event
        self.send_response(200 if is_genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def start_receiver():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    webhook = {"url": f"http://127.0.0.1:{server.server_port}/", "secret": Receiver.secret}
    call("PUT", "/webhooks", data=webhook, prefix="/api/partner")
