package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	ledger "example.com/ledger/client"
)

func main() {
	configuration := ledger.NewConfiguration()
	configuration.Servers = ledger.ServerConfigurations{{URL: os.Args[1]}}
	transactions := ledger.NewAPIClient(configuration).TransactionsAPI
	ctx := context.WithValue(context.Background(), ledger.ContextAccessToken, os.Args[2])
	propertyId, _ := strconv.ParseInt(os.Args[3], 10, 64)
	request := ledger.NewTransactionRequest(propertyId, ledger.INCOME,
		ledger.BOOKING_PAYMENT, "Three nights", 1234567.89,
		time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	request.SetMetadata(map[string]string{"channel": "direct"})
	created, _, err := transactions.CreateTransaction(ctx).TransactionRequest(*request).Execute()
	check(err == nil && created.Amount == 1234567.89 && created.Metadata["channel"] == "direct", "transaction")
	request.SetMetadata(map[string]string{"__proto__": "x"})
	_, _, err = transactions.CreateTransaction(ctx).TransactionRequest(*request).Execute()
	var refusal *ledger.GenericOpenAPIError
	check(errors.As(err, &refusal), "a refusal")
	either, ok := refusal.Model().(ledger.ValidationFailedOrMalformedRequestProblem)
	check(ok && either.ValidationFailedProblem != nil, "a problem: "+refusal.Error())
	check(either.ValidationFailedProblem.Errors["metadata.__proto__"] != "", "the faulty field")
}

func check(holds bool, what string) {
	if !holds {
		panic("not as expected: " + what)
	}
}
