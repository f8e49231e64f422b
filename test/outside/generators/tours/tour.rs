use openapi::apis::configuration::Configuration;
use openapi::apis::transactions_api::{create_transaction, CreateTransactionError};
use openapi::apis::Error;
use openapi::models::ValidationFailedOrMalformedRequestProblem as Problem;
use openapi::models::{TransactionCategory, TransactionRequest, TransactionType};
use std::collections::HashMap;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut configuration = Configuration::new();
    configuration.base_path = arguments[1].clone();
    configuration.bearer_access_token = Some(arguments[2].clone());
    let booking = |key: &str, value: &str| {
        let (id, date) = (arguments[3].parse().unwrap(), "2026-03-14T15:00:00Z".parse().unwrap());
        let (kind, category) = (TransactionType::Income, TransactionCategory::BookingPayment);
        let mut request = TransactionRequest::new(id, kind, category, "Three nights".into(), 1234567.89, date);
        request.metadata = Some(Some(HashMap::from([(key.to_string(), value.to_string())])));
        request
    };
    let created = create_transaction(&configuration, booking("channel", "direct"), None, None).await.unwrap();
    assert_eq!((created.amount, created.metadata["channel"].as_str()), (1234567.89, "direct"));
    let refused = create_transaction(&configuration, booking("__proto__", "x"), None, None).await;
    let Err(Error::ResponseError(refusal)) = refused else { panic!("not refused: {refused:?}") };
    let Some(CreateTransactionError::Status400(problem)) = refusal.entity else { panic!("no problem: {refusal:?}") };
    let Problem::UrnColonPropertyFinanceColonProblemColonValidationFailed(faults) = problem else { panic!("{problem:?}") };
    assert!(faults.errors.is_some_and(|errors| errors.contains_key("metadata.__proto__")));
}
