package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/ledger/client/ledger"
)

func main() {
	url, name, password := os.Args[1], os.Args[2], "correct horse battery"
	ctx := context.Background()
	anonymous := must(ledger.NewClientWithResponses(url))
	account := must(anonymous.SignUpWithResponse(ctx, nil,
		ledger.SignUpRequest{Email: name + "@example.com", Username: name, Password: password}))
	check(account.JSON201 != nil && account.JSON201.Username == name, "sign-up")
	session := must(anonymous.SignInWithResponse(ctx, nil, ledger.SignInRequest{Username: name, Password: password}))
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+session.JSON200.AccessToken)
		return nil
	}
	client := must(ledger.NewClientWithResponses(url, ledger.WithRequestEditorFn(authorize)))
	property := must(client.CreatePropertyWithResponse(ctx, nil, ledger.PropertyRequest{Name: "Loft",
		Address: "Quay 1", BasePrice: "145.50", MaxGuests: 4, Bedrooms: 2, Bathrooms: 1, Active: true}))
	metadata := map[string]string{"channel": "direct"}
	request := ledger.TransactionRequest{PropertyId: property.JSON200.Id, Type: ledger.INCOME,
		Category: ledger.BOOKINGPAYMENT, Description: "Three nights", Amount: "1234567.89",
		Date: time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC), Metadata: &metadata}
	created := must(client.CreateTransactionWithResponse(ctx, nil, request)).JSON200
	check(created != nil && created.Amount == "1234567.89" && created.Metadata["channel"] == "direct", "transaction")
	page := must(client.ListTransactionsWithResponse(ctx,
		&ledger.ListTransactionsParams{Sort: &[]string{"amount,desc"}})).JSON200
	check(page != nil && len(page.Content) == 1 && page.Content[0].Id == created.Id, "list")
	rows := fmt.Sprintf("propertyId,type,category,description,amount,date\n%d,EXPENSE,CLEANING,Cleaning,60,2026-03-15T09:30:00Z\n", property.JSON200.Id)
	imported := must(client.ImportTransactionsWithBodyWithResponse(ctx, nil, "text/csv", strings.NewReader(rows))).JSON200
	check(imported != nil && imported.Created == 1, "import")
	file := must(client.ExportTransactionsWithResponse(ctx, nil, ledger.TransactionSearchRequest{}))
	check(strings.Count(string(file.Body), "\r\n") == 3, "export")
	metadata["__proto__"] = "x"
	refusal := must(client.CreateTransactionWithResponse(ctx, nil, request)).ApplicationproblemJSON400
	check(refusal != nil, "a refusal")
	problem, ok := must(refusal.ValueByDiscriminator()).(ledger.ValidationFailedProblem)
	check(ok && problem.Errors["metadata.__proto__"] != "", "the faulty field")
}

func must[Answer any](answer Answer, err error) Answer {
	if err != nil {
		panic(err)
	}
	return answer
}

func check(holds bool, what string) {
	if !holds {
		panic("not as expected: " + what)
	}
}
