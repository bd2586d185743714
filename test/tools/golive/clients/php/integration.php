<?php
// The tests of a partner: npx sandlot exec --golive golive.html -- php test/tools/golive/clients/php/integration.php

require __DIR__ . '/shop.php';

/** Calls the control API of sandlot. */
function sandbox(string $path, array $data = [], string $method = 'POST'): void
{
    $url = getenv('SANDLOT_URL') . "/_sandbox$path";
    [$status, , $text] = send($method, $url, ['Content-Type: application/json'], json_encode((object) $data));
    check($status < 300, "$method $path: $text");
}

function withFault(array $rule, callable $action): void
{
    sandbox('/faults', $rule);
    try {
        $action();
    } finally {
        sandbox('/faults', [], 'DELETE');
    }
}

function idle(): void
{
    sandbox('/idle', ['timeout_ms' => 20_000]);
}

function advance(array $order, string $status): void
{
    sandbox("/orders/{$order['public_id']}/advance", ['to' => $status]);
    idle();
}

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new Exception($what);
    }
}

function expectCode(string $code, callable $action): void
{
    try {
        $action();
    } catch (ApiError $error) {
        check($error->errorCode === $code, "expected $code: {$error->getMessage()}");
        return;
    }
    throw new Exception("expected $code");
}

function nextDomain(): string
{
    static $stock = [];
    static $words = ['coffee', 'travel', 'music', 'garden', 'fitness', 'photo', 'bakery', 'cloud'];
    while ($stock === []) {
        $found = get('/domains/search', ['q' => array_shift($words)])['domains'];
        $stock = array_filter(array_column($found, 'domain'), fn ($name) => !str_ends_with($name, '.test'));
    }
    return array_shift($stock);
}

function statusOf(array $order): string
{
    return get("/orders/{$order['public_id']}")['status'];
}

/** Returns the ids of the events that the receiver handled, newest last. */
function handled(): array
{
    return array_map('basename', glob(getenv('HANDLED') . '/*'));
}

$tests = [
    'discovery' => function () {
        get('/domains/search', ['q' => 'café (bar)!']);
        get('/domains/' . nextDomain());
        check(get('/availability', ['domain' => 'active-site.test'])['available'] === false, 'not available');
        expectCode('not_found', fn () => get('/pricing', ['domain' => 'active-site.test']));
    },
    'a validation error is not retried' => function () {
        $domain = nextDomain();
        $fault = ['match' => ['path' => '/pricing', 'first' => 3], 'effect' => ['code' => 'validation_error']];
        withFault($fault, fn () => expectCode('validation_error', fn () => get('/pricing', ['domain' => $domain])));
    },
    'sales' => function () {
        $domain = nextDomain();
        $orders = ['method' => 'POST', 'path' => '/orders'];
        $expired = ['match' => $orders, 'effect' => ['code' => 'quote_expired'], 'times' => 1];
        $sellQuoted = fn () => check(sellQuoted($domain, 'payment-1')['status'] === 'EXTERNALLY_PAID', 'paid');
        withFault($expired, $sellQuoted);
        expectCode('quote_expired', fn () => sellQuoted('quote-expires.test', 'payment-2'));
        $domain = nextDomain();
        $price = priceOf($domain);
        sandbox("/inventory/$domain", ['price_cents' => $price + 1_000], 'PATCH');
        check(sell($domain, $price)['sale_price_cents'] === $price + 1_000, 'the new price');
        expectCode('price_mismatch', fn () => sell('price-moves.test'));
        expectCode('conflict', fn () => sell('reserved.test'));
        expectCode('not_found', fn () => sell('sold-meanwhile.test'));
    },
    'retries' => function () {
        $rules = [
            ['effect' => ['code' => 'internal_error'], 'times' => 2],
            ['effect' => ['code' => 'rate_limited'], 'times' => 1],
            ['effect' => ['drop' => 'after'], 'times' => 1],
        ];
        foreach ($rules as $rule) {
            $domain = nextDomain();
            $match = ['match' => ['method' => 'POST', 'path' => '/orders']];
            withFault($rule + $match, fn () => check(sell($domain)['domain'] === $domain, 'sold'));
        }
    },
    'settlement' => function () {
        $order = sell('held-order.test');
        idle();
        check(statusOf($order) === 'MANUAL_REVIEW', 'held');
        sandbox("/orders/{$order['public_id']}/advance", ['action' => 'clear']);
        foreach (['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'] as $status) {
            advance($order, $status);
            check(statusOf($order) === $status, $status);
        }
        expectCode('conflict', fn () => post('/refunds', ['public_id' => $order['public_id']]));
        sandbox('/settlements/run');
        idle();
        check(statusOf($order) === 'SETTLED', 'settled');
        $statuses = array_column(readList('/settlements', 'settlements'), 'status');
        check(in_array('CLOSED', $statuses), 'a closed statement');
    },
    'refund' => function () {
        $order = sell(nextDomain());
        post('/refunds', ['public_id' => $order['public_id'], 'reason' => 'buyer changed their mind']);
        idle();
        check(statusOf($order) === 'REFUNDED', 'refunded');
    },
    'forged webhook' => function () {
        [$before, $domain] = [count(handled()), nextDomain()];
        withFault(['webhook' => ['corrupt_signature' => true], 'times' => 1], function () use ($domain) {
            sell($domain);
            idle();
        });
        check(count(handled()) === $before, 'the forged webhook is rejected');
        sandbox('/clock/advance', ['by' => '5s']);
        idle();
        check(count(handled()) === $before + 1, 'the valid webhook is accepted');
    },
    'repeated and reordered webhooks' => function () {
        $order = sell(nextDomain());
        idle();
        $before = handled();
        sandbox('/events/' . end($before) . '/resend');
        idle();
        withFault(['webhook' => ['reorder' => true], 'times' => 1], fn () => advance($order, 'TRANSFER_COMPLETED'));
        check(count(handled()) === count($before) + 2, 'each event is handled once');
    },
    'missed webhooks' => function () {
        catchUp();
        $domain = nextDomain();
        withFault(['webhook' => ['drop' => true]], function () use ($domain) {
            sell($domain);
            idle();
            $missed = array_column(catchUp(), 'id');
            check($missed !== [] && array_intersect($missed, handled()) === [], 'missed events');
        });
    },
    'lists' => function () {
        readList('/orders', 'orders', ['limit' => 3]);
        readList('/transactions', 'transactions', ['limit' => 3]);
    },
    'hosted checkout' => function () {
        $session = post('/checkout-session', ['domain' => nextDomain()]);
        check(send('GET', $session['checkout_url'], [], '')[0] === 200, 'the checkout page');
        sandbox("/checkout-sessions/{$session['session_id']}/pay");
        $sale = readList('/me/sales', 'sales')[0];
        sandbox("/transactions/{$sale['transaction_id']}/deliver");
        sandbox('/payouts/run');
        check(count(readList('/payouts', 'payouts')) === 1, 'a payout');
        readList('/me/payouts', 'payouts');
        readList('/me/commissions', 'commissions');
    },
    'brokerage' => function () {
        $domain = 'wanted-by-a-buyer.com';
        check(get('/brokerage/eligibility', ['domain' => $domain])['eligible'], 'eligible');
        $case = ['domain' => $domain, 'tier' => 'managed', 'buyer_email' => BUYER['email'], 'budget' => 500_000];
        $id = post('/brokerage', $case)['case_id'];
        foreach (['NEGOTIATING', 'COMPLETED'] as $status) {
            sandbox("/brokerage/$id/advance", ['to' => $status]);
        }
        idle();
        check(get("/brokerage/$id")['status'] === 'COMPLETED', 'completed');
        readList('/brokerage', 'cases');
    },
    'referral' => function () {
        send('GET', post('/links', ['kind' => 'generic'])['url'], [], '');
        check(get('/me/clicks')['total_clicks'] > 0, 'a click');
        readList('/links', 'links');
        get('/analytics');
    },
];

$folder = sys_get_temp_dir() . '/handled-' . bin2hex(random_bytes(8));
mkdir($folder);
putenv("HANDLED=$folder");
putenv('SECRET=whsec_reference');
$port = (int) explode(':', stream_socket_get_name($socket = stream_socket_server('tcp://127.0.0.1:0'), false))[1];
fclose($socket);
$server = proc_open(['php', '-S', "127.0.0.1:$port", __DIR__ . '/receiver.php'], [2 => ['file', '/dev/null', 'w']], $pipes);
while (@fsockopen('127.0.0.1', $port) === false) {
    usleep(20_000);
}
try {
    call('PUT', '/api/partner/webhooks', [], ['url' => "http://127.0.0.1:$port/", 'secret' => getenv('SECRET')]);
    foreach ($tests as $title => $test) {
        sandbox('/rate-limits/reset');
        $test();
    }
} finally {
    proc_terminate($server);
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
}
