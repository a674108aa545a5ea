"""A mail server that requires STARTTLS and a password, and prints each message as a line of JSON.

Arguments: certificate, key, user, password. The first line is its port. Recipients "unknown@…" are refused for good, "later@…" for now.
"""

import asyncio
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

certificate, key, user, password = sys.argv[1:5]
# Clients that do not trust the certificate are a part of the tests.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown@"):
            return "550 5.1.1 unknown recipient"
        if address.startswith("later@"):
            return "450 4.2.0 greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = {
            "tls": session.ssl is not None,
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": envelope.content.decode(),
        }
        print(json.dumps(message), flush=True)
        return "250 2.0.0 kept"


def authenticate(server, session, envelope, mechanism, data):
    # Not handled: the server itself answers a wrong password with 535.
    return AuthResult(success=(data.login.decode(), data.password.decode()) == (user, password), handled=False)


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)


def connection():
    return SMTP(
        Handler(),
        hostname="receiver",
        tls_context=context,
        require_starttls=True,
        auth_required=True,
        auth_require_tls=True,
        authenticator=authenticate,
    )


async def serve():
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
