import java.math.BigDecimal
import java.time.OffsetDateTime
import org.openapitools.client.apis.TransactionsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.*

fun main(arguments: Array<String>) {
  ApiClient.accessToken = arguments[1]
  val transactions = TransactionsApi(arguments[0])
  val booking = TransactionRequest(arguments[2].toLong(), TransactionType.INCOME, TransactionCategory.BOOKING_PAYMENT,
      "Three nights", BigDecimal("99999999999999999.99"), OffsetDateTime.parse("2026-03-14T15:00:00Z"),
      metadata = mapOf("channel" to "direct"))
  val created = transactions.createTransaction(booking)
  check(created.amount == booking.amount && created.metadata == booking.metadata)
  check(transactions.listTransactions(page = 0, cursor = "").totalElements == 1L)
  try {
    transactions.createTransaction(booking.copy(metadata = mapOf("__proto__" to "x")))
    error("was not refused")
  } catch (refusal: ClientException) {
    val text = (refusal.response as ClientError<*>).body as String
    val problem = Serializer.jacksonObjectMapper.readValue(text, ValidationFailedProblem::class.java)
    check(problem.errors!!.containsKey("metadata.__proto__"))
  }
}
