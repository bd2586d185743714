<?php
// A client of the partner API. PHP 8 or newer, no extension.

const MAX_ATTEMPTS = 4;

class ApiError extends Exception
{
    public function __construct(public int $status, public string $errorCode, string $message, public int $retryAfter)
    {
        parent::__construct("$status $errorCode: $message");
    }
}

class ConnectionClosed extends Exception
{
}

function encodeQuery(array $query): string
{
    return http_build_query($query, '', '&', PHP_QUERY_RFC3986);
}

/** Signs one attempt: a retry has its own timestamp and nonce. */
function signedHeaders(string $method, string $path, array $query, string $body): array
{
    ksort($query, SORT_STRING);
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $lines = [$method, $path, encodeQuery($query), $timestamp, $nonce, hash('sha256', $body)];
    return [
        'X-Service-Key-Id: ' . getenv('SANDLOT_KEY_ID'),
        "X-Service-Timestamp: $timestamp",
        "X-Service-Nonce: $nonce",
        'X-Service-Signature: v1=' . hash_hmac('sha256', implode("\n", $lines), getenv('SANDLOT_SECRET')),
    ];
}

function attempt(string $method, string $path, array $query, string $body, ?string $key): array
{
    $headers = signedHeaders($method, $path, $query, $body);
    if ($body !== '') {
        $headers[] = 'Content-Type: application/json';
    }
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    $target = $query === [] ? $path : $path . '?' . encodeQuery($query);
    [$status, $responseHeaders, $text] = send($method, getenv('SANDLOT_URL') . $target, $headers, $body);
    $document = json_decode($text, true);
    if ($status < 300) {
        return $document;
    }
    preg_match('/^Retry-After: (\d+)/mi', $responseHeaders, $found);
    throw new ApiError($status, $document['error']['code'], $document['error']['message'], (int) ($found[1] ?? 0));
}

/** Sends a request; returns status, headers and body. */
function send(string $method, string $url, array $headers, string $body): array
{
    $stream = @fopen($url, 'r', false, stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $body,
        'follow_location' => 0,
        'ignore_errors' => true, // An error has a body, too.
    ]]));
    if ($stream === false) {
        throw new ConnectionClosed("$method $url");
    }
    $lines = stream_get_meta_data($stream)['wrapper_data'];
    return [(int) explode(' ', $lines[0])[1], implode("\n", $lines), stream_get_contents($stream)];
}

/** Returns the seconds to wait before the next attempt, or null to give up. */
function retryDelay(Exception $error, int $number, bool $isSafe): ?float
{
    $backOff = 0.1 * 2 ** ($number - 1);
    if ($number >= MAX_ATTEMPTS) {
        return null;
    }
    if ($error instanceof ApiError) {
        return match ($error->status) {
            429 => $error->retryAfter,
            500 => $backOff,
            default => null,
        };
    }
    // No response: the request may have been handled, so only repeat what is safe to repeat.
    return $isSafe ? $backOff : null;
}

function call(string $method, string $path, array $query = [], ?array $data = null, ?string $key = null): array
{
    $body = $data === null ? '' : json_encode($data);
    for ($number = 1;; $number++) {
        try {
            return attempt($method, $path, $query, $body, $key);
        } catch (ApiError | ConnectionClosed $error) {
            $delay = retryDelay($error, $number, $method !== 'POST' || $key !== null);
            if ($delay === null) {
                throw $error;
            }
            usleep((int) ceil($delay * 1_000_000));
        }
    }
}

function get(string $path, array $query = []): array
{
    return call('GET', "/api/partner/v1$path", $query);
}

function post(string $path, array $data, ?string $key = null): array
{
    return call('POST', "/api/partner/v1$path", [], $data, $key);
}

/** Reads all pages of a list. */
function readList(string $path, string $name, array $query = []): array
{
    $rows = [];
    $cursor = [];
    do {
        $page = get($path, $query + $cursor);
        array_push($rows, ...$page[$name]);
        $cursor = ['cursor' => $page['next_cursor']];
    } while ($cursor['cursor'] !== null);
    return $rows;
}
