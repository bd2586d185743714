<?php
// What a partner builds on the client: sales that survive changed prices and expired quotes, and a catch-up job.

require __DIR__ . '/client.php';

const MAX_CHANGES = 2;
const BUYER = ['email' => 'buyer@example.com', 'name' => 'Zoë', 'country' => 'FR'];

function priceOf(string $domain): int
{
    return get('/pricing', ['domain' => $domain])['buy_now_price_cents'];
}

/** Sells at the price that the buyer has seen, or at the current one, and reads it again if it has changed. */
function sell(string $domain, ?int $price = null): array
{
    $key = bin2hex(random_bytes(16));
    for ($change = 0;; $change++) {
        $price = $change === 0 && $price !== null ? $price : priceOf($domain);
        try {
            $order = ['domain' => $domain, 'expected_price' => $price, 'currency' => 'USD', 'buyer' => BUYER];
            return post('/orders', $order, $key);
        } catch (ApiError $error) {
            if ($error->errorCode !== 'price_mismatch' || $change === MAX_CHANGES) {
                throw $error;
            }
        }
    }
}

/** Sells at a quoted price, and renews a quote that has expired. */
function sellQuoted(string $domain, string $payment): array
{
    $key = bin2hex(random_bytes(16));
    for ($change = 0;; $change++) {
        $quote = post('/quotes', ['domain' => $domain]);
        try {
            return post('/orders', ['quote_id' => $quote['quote_id'], 'external_payment_ref' => $payment], $key);
        } catch (ApiError $error) {
            if ($error->errorCode !== 'quote_expired' || $change === MAX_CHANGES) {
                throw $error;
            }
        }
    }
}

/** Reads the events since the last run. */
function catchUp(): array
{
    static $last = null;
    $events = [];
    $after = $last;
    do {
        $page = get('/events', ['limit' => 5] + ($after === null ? [] : ['after_id' => $after]));
        array_push($events, ...$page['events']);
        $after = $page['next_cursor'];
    } while ($after !== null);
    $last = $events === [] ? $last : end($events)['id'];
    return $events;
}
