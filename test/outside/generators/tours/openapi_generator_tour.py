import importlib
import pkgutil
import sys
from datetime import datetime, timezone

import openapi_client
from openapi_client import ApiClient, ApiException, AuthenticationApi, Configuration, PropertiesApi, PropertyRequest
from openapi_client import SignInRequest, SignUpRequest, TransactionRequest, TransactionSearchRequest, TransactionsApi, TransfersApi
from openapi_client import ValidationFailedProblem

for module in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(module.name)

url, name = sys.argv[1:]
password = "correct horse battery"
configuration = Configuration(host=url)
client = ApiClient(configuration)
access = AuthenticationApi(client)
account = access.sign_up(SignUpRequest(email=f"{name}@example.com", username=name, password=password))
assert account.username == name
configuration.access_token = access.sign_in(SignInRequest(username=name, password=password)).access_token
request = {"name": "Loft", "address": "Quay 1", "basePrice": 145.5, "maxGuests": 4, "bedrooms": 2}
request = PropertyRequest.from_dict({**request, "bathrooms": 1, "active": True})
property_ = PropertiesApi(client).create_property(request)
fixed = {"type": "INCOME", "category": "BOOKING_PAYMENT", "description": "Three nights", "amount": 436.5}


def booking(metadata):
    date = datetime(2026, 3, 14, 15, tzinfo=timezone.utc)
    request = TransactionRequest(propertyId=property_.id, date=date, metadata=metadata, **fixed)
    return TransactionsApi(client).create_transaction(request)


created = booking({"channel": "direct"})
assert (created.amount, created.metadata) == (436.5, {"channel": "direct"})
page = TransactionsApi(client).list_transactions(sort=["amount,desc"])
assert [row.id for row in page.content] == [created.id]
# the client's default is application/x-ndjson
rows = f"propertyId,type,category,description,amount,date\n{property_.id},EXPENSE,CLEANING,Cleaning,60,2026-03-15T09:30:00Z\n"
imported = TransactionsApi(client).import_transactions(rows, idempotency_key="march", _content_type="text/csv")
assert imported.created == 1
file = TransfersApi(client).export_transactions(TransactionSearchRequest(), _headers={"Accept": "text/csv"})
assert len(file.splitlines()) == 3, file
try:
    booking({"__proto__": "x"})
except ApiException as refusal:
    problem = refusal.data.actual_instance
    assert isinstance(problem, ValidationFailedProblem), problem
    assert problem.errors["metadata.__proto__"]
else:
    raise AssertionError("was not refused")
