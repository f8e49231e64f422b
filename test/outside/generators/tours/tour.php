<?php
require 'GuzzleHttp/autoload.php';
spl_autoload_register(fn($class) => require __DIR__ . '/lib' . strtr(substr($class, strlen('OpenAPI\Client')), '\\', '/') . '.php');

use OpenAPI\Client\Api\TransactionsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\TransactionRequest;

[, $url, $token, $propertyId] = $argv;
$configuration = (new Configuration())->setHost($url)->setAccessToken($token);
$transactions = new TransactionsApi(new GuzzleHttp\Client(), $configuration);
$fixed = ['property_id' => (int) $propertyId, 'type' => 'INCOME', 'category' => 'BOOKING_PAYMENT', 'description' => 'Three nights'];
$fixed += ['amount' => 1234567.89, 'date' => new DateTime('2026-03-14T15:00:00Z')];

$created = $transactions->createTransaction(new TransactionRequest([...$fixed, 'metadata' => ['channel' => 'direct']]));
check([$created->getAmount(), $created->getMetadata()] == [1234567.89, ['channel' => 'direct']], 'transaction');
try {
    $transactions->createTransaction(new TransactionRequest([...$fixed, 'metadata' => ['__proto__' => 'x']]));
    check(false, 'refused');
} catch (ApiException $refusal) {
    check(isset($refusal->getResponseObject()?->getErrors()['metadata.__proto__']), 'the faulty field');
}

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new Exception("not as expected: $what");
    }
}
