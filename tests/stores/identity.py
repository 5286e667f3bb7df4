"""identity.py: AWS's token service (AssumeRoleWithWebIdentity) and the credentials endpoint of EKS Pod Identity, as their
documentation and agents answer, with keys that the MinIO of the test made."""
import http.server
import json
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

ROLE = "arn:aws:iam::123456789012:role/archive"
NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/"
FIELDS = {"Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": ROLE}


class Identity:
    """Both on one port: POST / and GET /v1/credentials. Accepts the tokens in `tokens`, keeps what it was given in `seen`,
    and gives out keys that expire in `seconds`."""

    def __init__(self, make_keys):
        self.make_keys, self.tokens, self.seen, self.seconds = make_keys, {"token-1"}, [], 3600
        identity = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode(), strict_parsing=True)
                identity.sts(self, {name: values[0] for name, values in form.items()})

            def do_GET(self):
                identity.agent(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def expiration(self):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.seconds))

    def sts(self, handler, form):
        self.seen.append(form.get("WebIdentityToken"))
        wrong = {name: form.get(name) for name, value in FIELDS.items() if form.get(name) != value}
        if wrong or not form.get("RoleSessionName"):
            self.refuse(handler, "ValidationError", f"not what was expected: {wrong}")
        elif form["WebIdentityToken"] not in self.tokens:
            self.refuse(handler, "ExpiredTokenException", "Token expired: current date/time 1764000000 must be before the expiration")
        else:
            k = self.make_keys()
            answer(handler, 200, "text/xml", f"""<AssumeRoleWithWebIdentityResponse xmlns="{NAMESPACE}">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>system:serviceaccount:goodput-system:goodput-controller</SubjectFromWebIdentityToken>
    <Audience>sts.amazonaws.com</Audience>
    <AssumedRoleUser>
      <Arn>arn:aws:sts::123456789012:assumed-role/archive/{escape(form["RoleSessionName"])}</Arn>
      <AssumedRoleId>AROAEXAMPLE:{escape(form["RoleSessionName"])}</AssumedRoleId>
    </AssumedRoleUser>
    <Credentials>
      <AccessKeyId>{escape(k.access_key)}</AccessKeyId>
      <SecretAccessKey>{escape(k.secret_key)}</SecretAccessKey>
      <SessionToken>{escape(k.session_token)}</SessionToken>
      <Expiration>{self.expiration()}</Expiration>
    </Credentials>
    <Provider>arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-3.amazonaws.com/id/X</Provider>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>
""")

    def refuse(self, handler, code, message):
        answer(handler, 400, "text/xml", f"""<ErrorResponse xmlns="{NAMESPACE}">
  <Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>
  <RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId>
</ErrorResponse>
""")

    def agent(self, handler):
        token = handler.headers.get("Authorization")
        self.seen.append(token)
        if handler.path != "/v1/credentials":
            answer(handler, 404, "text/plain", "404 page not found\n")
        elif token not in self.tokens:
            answer(handler, 400, "text/plain", "[x]: (ExpiredTokenException): Token is expired., fault: client\n")
        else:
            k = self.make_keys()
            answer(handler, 200, "application/json", json.dumps({
                "AccessKeyId": k.access_key, "SecretAccessKey": k.secret_key, "Token": k.session_token, "AccountId": "123456789012",
                "Expiration": self.expiration()}))


def answer(handler, status, kind, text):
    content = text.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)
