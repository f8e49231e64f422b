# The generator has no import of files: it knows neither CSV nor lines of JSON.
import importlib
import pkgutil
import sys
from datetime import datetime, timezone

import ledger_client
from ledger_client import AuthenticatedClient, Client
from ledger_client.api.authentication import sign_in, sign_up
from ledger_client.api.properties import create_property
from ledger_client.api.transactions import create_transaction, list_transactions
from ledger_client.api.transfers import export_transactions
from ledger_client.models import PropertyRequest, SignInRequest, SignUpRequest, TransactionCategory, TransactionRequest
from ledger_client.models import TransactionRequestMetadataType0, TransactionSearchRequest, TransactionType, ValidationFailedProblem

for module in pkgutil.walk_packages(ledger_client.__path__, "ledger_client."):
    importlib.import_module(module.name)

url, name = sys.argv[1:]
password = "correct horse battery"
anonymous = Client(url)
body = SignUpRequest(email=f"{name}@example.com", username=name, password=password)
assert sign_up.sync(client=anonymous, body=body).username == name
token = sign_in.sync(client=anonymous, body=SignInRequest(username=name, password=password)).access_token
client = AuthenticatedClient(url, token=token)
body = PropertyRequest(
    name="Loft", address="Quay 1", base_price=145.5, max_guests=4, bedrooms=2, bathrooms=1, active=True
)
property_ = create_property.sync(client=client, body=body)


def booking(metadata):
    body = TransactionRequest(
        property_id=property_.id,
        type_=TransactionType.INCOME,
        category=TransactionCategory.BOOKING_PAYMENT,
        description="Three nights",
        amount=436.5,
        date=datetime(2026, 3, 14, 15, tzinfo=timezone.utc),
        metadata=TransactionRequestMetadataType0.from_dict(metadata),
    )
    return create_transaction.sync(client=client, body=body)


created = booking({"channel": "direct"})
assert (created.amount, created.metadata["channel"]) == (436.5, "direct")
page = list_transactions.sync(client=client, sort=["amount,desc"])
assert [row.id for row in page.content] == [created.id]
file = export_transactions.sync(client=client, body=TransactionSearchRequest())
assert len(file.splitlines()) == 2, file
problem = booking({"__proto__": "x"})
assert isinstance(problem, ValidationFailedProblem), problem
assert problem.errors["metadata.__proto__"]
