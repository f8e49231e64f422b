package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/ledger/client/ledger"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client := must(ledger.NewClientWithResponses(os.Args[1], ledger.WithRequestEditorFn(authorize)))
	metadata := map[string]string{"channel": "direct"}
	request := ledger.TransactionRequest{PropertyId: must(strconv.ParseInt(os.Args[3], 10, 64)), Type: ledger.INCOME,
		Category: ledger.BOOKINGPAYMENT, Description: "Three nights", Amount: "99999999999999999.99",
		Date: time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC), Metadata: &metadata}
	created := must(client.CreateTransactionWithResponse(context.Background(), nil, request)).JSON200
	check(created != nil && created.Amount == request.Amount && created.Metadata["channel"] == "direct", "transaction")
	metadata["__proto__"] = "x"
	refusal := must(client.CreateTransactionWithResponse(context.Background(), nil, request)).ApplicationproblemJSON400
	check(refusal != nil, "a refusal")
	problem, ok := must(refusal.ValueByDiscriminator()).(ledger.ValidationFailedProblem)
	check(ok && problem.Errors["metadata.__proto__"] != "", "the faulty field")
}

func must[Response any](response Response, err error) Response {
	check(err == nil, "no error")
	return response
}

func check(holds bool, what string) {
	if !holds {
		panic("not as expected: " + what)
	}
}
