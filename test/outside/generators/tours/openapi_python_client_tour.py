import importlib
import pkgutil
import sys
from datetime import datetime, timezone

import ledger_client
from ledger_client import AuthenticatedClient
from ledger_client.api.transactions import create_transaction
from ledger_client.models import TransactionCategory, TransactionRequest, TransactionRequestMetadataType0
from ledger_client.models import TransactionType, ValidationFailedProblem

for module in pkgutil.walk_packages(ledger_client.__path__, "ledger_client."):
    importlib.import_module(module.name)

url, token, property_id = sys.argv[1:]


def booking(metadata):
    body = TransactionRequest(
        property_id=int(property_id),
        type_=TransactionType.INCOME,
        category=TransactionCategory.BOOKING_PAYMENT,
        description="Three nights",
        amount=1234567.89,
        date=datetime(2026, 3, 14, 15, tzinfo=timezone.utc),
        metadata=TransactionRequestMetadataType0.from_dict(metadata),
    )
    return create_transaction.sync(client=AuthenticatedClient(url, token=token), body=body)


created = booking({"channel": "direct"})
assert (created.amount, created.metadata["channel"]) == (1234567.89, "direct")
problem = booking({"__proto__": "x"})
assert isinstance(problem, ValidationFailedProblem), problem
assert problem.errors["metadata.__proto__"]
