import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.PropertiesApi;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.model.*;

public class Tour {
  public static void main(String[] args) throws Exception {
    String name = args[1];
    String password = "correct horse battery";
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    AuthenticationApi access = new AuthenticationApi(client);
    SignUpRequest signUp = new SignUpRequest().email(name + "@example.com").username(name).password(password);
    check(access.signUp(signUp, null).getUsername().equals(name), "sign-up");
    String token = access.signIn(new SignInRequest().username(name).password(password), null).getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    PropertyRequest loft = new PropertyRequest().name("Loft").address("Quay 1").basePrice(new BigDecimal("145.50"))
        .maxGuests(4).bedrooms(2).bathrooms(1).active(true);
    Long propertyId = new PropertiesApi(client).createProperty(loft, null, null).getId();
    TransactionsApi transactions = new TransactionsApi(client);
    TransactionRequest booking = new TransactionRequest().propertyId(propertyId).type(TransactionType.INCOME)
        .category(TransactionCategory.BOOKING_PAYMENT).description("Three nights").amount(new BigDecimal("436.50"))
        .date(OffsetDateTime.parse("2026-03-14T15:00:00Z")).metadata(Map.of("channel", "direct"));
    TransactionResponse created = transactions.createTransaction(booking, null, null);
    check(created.getAmount().compareTo(booking.getAmount()) == 0, "amount");
    check(created.getMetadata().equals(booking.getMetadata()), "metadata");
    List<TransactionSummary> rows =
        transactions.listTransactions(null, null, null, List.of("amount,desc"), null).getContent();
    check(rows.size() == 1 && rows.get(0).getId().equals(created.getId()), "list");
    String file =
        "propertyId,type,category,description,amount,date\n"
            + propertyId + ",EXPENSE,CLEANING,Cleaning,60,2026-03-15T09:30:00Z\n";
    check(transactions.importTransactions(file, null, null, null, null, null, "march", null).getCreated() == 1, "import");
    try {
      transactions.createTransaction(booking.metadata(Map.of("__proto__", "x")), null, null);
      check(false, "refused");
    } catch (ApiException refusal) {
      check(refusal.getCode() == 400, "status");
      ValidationFailedProblem problem =
          client.getObjectMapper().readValue(refusal.getResponseBody(), ValidationFailedProblem.class);
      check(problem.getErrors().containsKey("metadata.__proto__"), "the faulty field");
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError("not as expected: " + what);
  }
}
