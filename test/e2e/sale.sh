#!/bin/sh
# A whole sale with nothing but sh, openssl, sed and curl. Prints the public_id of the settled order.
# usage: sale.sh RECEIVER_URL WEBHOOK_SECRET     (SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET are set)
set -eu
snippet="$(dirname "$0")/../../fixtures/snippets/partner.sh"
eval "$(sed '/^# Calls:/,$d' "$snippet")" # Defines call METHOD TARGET [JSON] [IDEMPOTENCY-KEY].

field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
control() { curl -sS --fail-with-body -X "$1" "$SANDLOT_URL/_sandbox$2" ${3:+--data "$3"}; }

call PUT /api/partner/webhooks "{\"url\":\"$1\",\"secret\":\"$2\"}" >/dev/null
domain=$(call GET '/api/partner/v1/domains/search?q=coffee' | sed 's/"available".*//' | field domain)
call GET "/api/partner/v1/pricing?domain=$domain" >/dev/null
quote=$(call POST /api/partner/v1/quotes "{\"domain\":\"$domain\"}" | field quote_id)
order=$(call POST /api/partner/v1/orders "{\"quote_id\":\"$quote\",\"external_payment_ref\":\"pay-1\"}" \
  story-1 | field public_id)
control POST "/orders/$order/advance" '{"to":"TRANSFER_COMPLETED"}' >/dev/null
control POST /settlements/run '{}' >/dev/null
control POST /idle '{}' >/dev/null
call GET "/api/partner/v1/orders/$order" | grep -q '"status":"SETTLED"'
echo "$order"
