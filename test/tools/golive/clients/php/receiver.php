<?php
// Verifies the raw body, responds at once, and handles each event once, in any order.
// SECRET=… HANDLED=folder php -S 127.0.0.1:PORT receiver.php

$body = file_get_contents('php://input');
$expected = hash_hmac('sha256', $body, getenv('SECRET'));
if (!hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
file_put_contents(getenv('HANDLED') . '/' . basename($event['id']), $body);
