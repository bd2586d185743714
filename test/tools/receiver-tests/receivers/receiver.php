<?php
// A correct webhook receiver: SECRET=… EFFECTS=file php -S 127.0.0.1:PORT receiver.php

function verify(string $rawBody, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $rawBody, getenv('SECRET')), $signature);
}

/** Writes the id and the effect in one line, so that neither is there without the other. */
function processOnce(array $event): void
{
    if (!preg_match('/^(order|brokerage)\./', $event['type'])) {
        return;
    }
    $subject = $event['data']['order'] ?? $event['data']['case'];
    $orderId = $subject['public_id'] ?? $subject['case_id'];
    $file = fopen(getenv('EFFECTS'), 'r+');
    flock($file, LOCK_EX);
    if (!str_contains(stream_get_contents($file), $event['id'] . ' ')) {
        fwrite($file, "{$event['id']} $orderId {$event['created_at']} {$subject['status']}\n");
    }
    fclose($file);
}

ignore_user_abort(true);
$rawBody = file_get_contents('php://input');
if (verify($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    processOnce(json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR));
} else {
    http_response_code(401);
}
