import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.model.*;

public class Tour {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    TransactionsApi transactions = new TransactionsApi(client);
    TransactionRequest booking = new TransactionRequest().propertyId(Long.valueOf(args[2])).type(TransactionType.INCOME)
        .category(TransactionCategory.BOOKING_PAYMENT).description("Three nights")
        .amount(new BigDecimal("99999999999999999.99")).date(OffsetDateTime.parse("2026-03-14T15:00:00Z"))
        .metadata(Map.of("channel", "direct"));
    TransactionResponse created = transactions.createTransaction(booking, null, null);
    check(created.getAmount().equals(booking.getAmount()), "amount");
    check(created.getMetadata().equals(booking.getMetadata()), "metadata");
    try {
      transactions.createTransaction(booking.metadata(Map.of("__proto__", "x")), null, null);
      check(false, "refused");
    } catch (ApiException refusal) {
      ValidationFailedProblem problem =
          client.getObjectMapper().readValue(refusal.getResponseBody(), ValidationFailedProblem.class);
      check(problem.getErrors().containsKey("metadata.__proto__"), "the faulty field");
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError("not as expected: " + what);
  }
}
