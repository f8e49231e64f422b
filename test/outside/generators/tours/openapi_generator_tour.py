import importlib
import pkgutil
import sys
from datetime import datetime, timezone

import openapi_client
from openapi_client import ApiClient, ApiException, Configuration, TransactionRequest, TransactionsApi
from openapi_client import ValidationFailedProblem

for module in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(module.name)

url, token, property_id = sys.argv[1:]
transactions = TransactionsApi(ApiClient(Configuration(host=url, access_token=token)))
fixed = {"propertyId": int(property_id), "date": datetime(2026, 3, 14, 15, tzinfo=timezone.utc), "amount": 1234567.89}
fixed = {**fixed, "type": "INCOME", "category": "BOOKING_PAYMENT", "description": "Three nights"}

created = transactions.create_transaction(TransactionRequest(metadata={"channel": "direct"}, **fixed))
assert (created.amount, created.metadata) == (1234567.89, {"channel": "direct"})
# the client's default is application/x-ndjson
rows = f"propertyId,type,category,description,amount,date\n{property_id},EXPENSE,CLEANING,Cleaning,60,2026-03-15T09:30:00Z\n"
assert transactions.import_transactions(rows, _content_type="text/csv").created == 1
try:
    transactions.create_transaction(TransactionRequest(metadata={"__proto__": "x"}, **fixed))
except ApiException as refusal:
    problem = refusal.data.actual_instance
    assert isinstance(problem, ValidationFailedProblem), problem
    assert problem.errors["metadata.__proto__"]
else:
    raise AssertionError("was not refused")
