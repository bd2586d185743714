# A correct webhook receiver: PORT=… SECRET=… EFFECTS=file python3 receiver.py
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["SECRET"].encode()
EFFECTS = os.environ["EFFECTS"]


def verify(raw_body, signature):
    expected = hmac.new(SECRET, raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode("latin-1"))


def process_once(event):
    """Writes the id and the effect in one line, so that neither is there without the other."""
    if not event["type"].startswith(("order.", "brokerage.")):
        return
    data = event["data"]
    subject = data.get("order") or {"public_id": data["case"]["case_id"], **data["case"]}
    line = f'{event["id"]} {subject["public_id"]} {event["created_at"]} {subject["status"]}\n'
    with open(EFFECTS, "r+") as file:
        if event["id"] + " " not in file.read():
            file.write(line)


class Receiver(BaseHTTPRequestHandler):
    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def do_POST(self):
        raw_body = self.read_body()
        signatures = self.headers.get_all("X-Service-Signature", [])
        valid = len(signatures) == 1 and verify(raw_body, signatures[0])
        if valid:
            process_once(json.loads(raw_body))
        self.send_response(200 if valid else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
