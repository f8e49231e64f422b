require 'openapi_client'

url, token, property_id = ARGV
OpenapiClient.configure do |configuration|
  configuration.scheme, configuration.host = url.split('://')
  configuration.server_index = nil
  configuration.access_token = token
end
transactions = OpenapiClient::TransactionsApi.new
fixed = { property_id: property_id.to_i, type: 'INCOME', category: 'BOOKING_PAYMENT', description: 'Three nights',
          amount: 1234567.89, date: DateTime.parse('2026-03-14T15:00:00Z') }

created = transactions.create_transaction(OpenapiClient::TransactionRequest.new(**fixed, metadata: { 'channel' => 'direct' }))
raise created.inspect unless [created.amount, created.metadata] == [1234567.89, { 'channel' => 'direct' }]

begin
  transactions.create_transaction(OpenapiClient::TransactionRequest.new(**fixed, metadata: { '__proto__' => 'x' }))
  raise 'was not refused'
rescue OpenapiClient::ApiError => refusal
  data = JSON.parse(refusal.response_body, symbolize_names: true)
  problem = OpenapiClient::ValidationFailedOrMalformedRequestProblem.build(data)
  raise problem.inspect unless problem.errors.transform_keys(&:to_s)['metadata.__proto__']
end
