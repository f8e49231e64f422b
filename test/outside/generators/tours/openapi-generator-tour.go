package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	ledger "example.com/ledger/client"
)

func main() {
	url, name, password := os.Args[1], os.Args[2], "correct horse battery"
	configuration := ledger.NewConfiguration()
	configuration.Servers = ledger.ServerConfigurations{{URL: url}}
	client := ledger.NewAPIClient(configuration)
	ctx := context.Background()
	account := must(client.AuthenticationAPI.SignUp(ctx).
		SignUpRequest(*ledger.NewSignUpRequest(name+"@example.com", name, password)).Execute())
	check(account.Username == name, "sign-up")
	session := must(client.AuthenticationAPI.SignIn(ctx).
		SignInRequest(*ledger.NewSignInRequest(name, password)).Execute())
	ctx = context.WithValue(ctx, ledger.ContextAccessToken, session.AccessToken)
	property := must(client.PropertiesAPI.CreateProperty(ctx).
		PropertyRequest(*ledger.NewPropertyRequest("Loft", "Quay 1", 145.5, 4, 2, 1, true)).Execute())
	request := ledger.NewTransactionRequest(property.Id, ledger.TRANSACTIONTYPE_INCOME, ledger.TRANSACTIONCATEGORY_BOOKING_PAYMENT, "Three nights", 1234567.89,
		time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	request.SetMetadata(map[string]string{"channel": "direct"})
	created := must(client.TransactionsAPI.CreateTransaction(ctx).TransactionRequest(*request).Execute())
	check(created.Amount == 1234567.89 && created.Metadata["channel"] == "direct", "transaction")
	page := must(client.TransactionsAPI.ListTransactions(ctx).Sort([]string{"amount,desc"}).Execute())
	check(len(page.Content) == 1 && page.Content[0].Id == created.Id, "list")
	rows := fmt.Sprintf("propertyId,type,category,description,amount,date\n%d,EXPENSE,CLEANING,Cleaning,60,2026-03-15T09:30:00Z\n", property.Id)
	imported := must(client.TransactionsAPI.ImportTransactions(ctx).Body(rows).IdempotencyKey("march").Execute())
	check(imported.Created == 1, "import")
	file := must(client.TransfersAPI.ExportTransactions(ctx).
		TransactionSearchRequest(*ledger.NewTransactionSearchRequest()).Execute())
	check(strings.Count(file, "\r\n") == 3, "export")
	request.SetMetadata(map[string]string{"__proto__": "x"})
	_, _, err := client.TransactionsAPI.CreateTransaction(ctx).TransactionRequest(*request).Execute()
	var refusal *ledger.GenericOpenAPIError
	check(errors.As(err, &refusal), "a refusal")
	either, ok := refusal.Model().(ledger.ValidationFailedOrMalformedRequestProblem)
	check(ok && either.ValidationFailedProblem != nil, "a problem: "+refusal.Error())
	check(either.ValidationFailedProblem.Errors["metadata.__proto__"] != "", "the faulty field")
}

func must[Answer, Response any](answer Answer, _ Response, err error) Answer {
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
