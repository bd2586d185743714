// A client of the partner API and a webhook receiver. Go 1.18 or newer, nothing to install.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxAttempts = 4

// Go repeats a request on a kept connection by itself, with the same nonce, so connections are not kept.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

type object = map[string]any

type apiError struct {
	Status     int
	Code       string
	Message    string
	RetryAfter time.Duration
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

func isCode(err error, code string) bool {
	var failed *apiError
	return errors.As(err, &failed) && failed.Code == code
}

func newKey() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

// encode sorts by name, as the signature asks.
func encode(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

func hmacHex(secret string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

type call struct {
	method, path string
	query        url.Values
	body         []byte
	key          string
}

// attempt signs and sends once: a retry has its own timestamp and nonce.
func (c call) attempt(result any) error {
	query := encode(c.query)
	target := os.Getenv("SANDLOT_URL") + c.path
	if query != "" {
		target += "?" + query
	}
	request, err := http.NewRequest(c.method, target, bytes.NewReader(c.body))
	if err != nil {
		return err
	}
	timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), newKey()
	hash := sha256.Sum256(c.body)
	lines := []string{c.method, c.path, query, timestamp, nonce, hex.EncodeToString(hash[:])}
	signature := hmacHex(os.Getenv("SANDLOT_SECRET"), []byte(strings.Join(lines, "\n")))
	request.Header.Set("X-Service-Key-Id", os.Getenv("SANDLOT_KEY_ID"))
	request.Header.Set("X-Service-Timestamp", timestamp)
	request.Header.Set("X-Service-Nonce", nonce)
	request.Header.Set("X-Service-Signature", "v1="+signature)
	if c.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Idempotency-Key", c.key)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 300 {
		return json.NewDecoder(response.Body).Decode(result)
	}
	var document struct{ Error apiError }
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		return err
	}
	document.Error.Status = response.StatusCode
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	document.Error.RetryAfter = time.Duration(seconds) * time.Second
	return &document.Error
}

// retryDelay says how long to wait before the next attempt, and whether there should be one.
func (c call) retryDelay(err error, number int) (time.Duration, bool) {
	backOff := 100 * time.Millisecond << (number - 1)
	var failed *apiError
	switch {
	case number >= maxAttempts:
		return 0, false
	case !errors.As(err, &failed):
		// No response: the request may have been handled, so only repeat what is safe to repeat.
		return backOff, c.method != "POST" || c.key != ""
	case failed.Status == 429:
		return failed.RetryAfter, true
	default:
		return backOff, failed.Status == 500
	}
}

func (c call) send(result any) error {
	for number := 1; ; number++ {
		err := c.attempt(result)
		if err == nil {
			return nil
		}
		delay, again := c.retryDelay(err, number)
		if !again {
			return err
		}
		time.Sleep(delay)
	}
}

func get(path string, query ...string) (object, error) {
	values := url.Values{}
	for n := 0; n < len(query); n += 2 {
		values.Set(query[n], query[n+1])
	}
	result := object{}
	err := call{method: "GET", path: "/api/partner/v1" + path, query: values}.send(&result)
	return result, err
}

func post(path string, input object, key string) (object, error) {
	body, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	result := object{}
	err = call{method: "POST", path: "/api/partner/v1" + path, body: body, key: key}.send(&result)
	return result, err
}

// list reads all pages.
func list(path, name string, query ...string) ([]object, error) {
	var rows []object
	for page := query; ; {
		result, err := get(path, page...)
		if err != nil {
			return nil, err
		}
		for _, row := range result[name].([]any) {
			rows = append(rows, row.(object))
		}
		cursor, more := result["next_cursor"].(string)
		if !more {
			return rows, nil
		}
		page = append(query[:len(query):len(query)], "cursor", cursor)
	}
}

// receiver verifies the raw body, responds at once, and handles each event once, in any order.
type receiver struct {
	sync.Mutex
	secret  string
	handled map[string]bool
	last    string
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	signature := request.Header.Get("X-Service-Signature")
	if err != nil || !hmac.Equal([]byte(signature), []byte(hmacHex(r.secret, body))) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Lock()
	defer r.Unlock()
	r.handled[event.ID], r.last = true, event.ID
}

func (r *receiver) count() int {
	r.Lock()
	defer r.Unlock()
	return len(r.handled)
}

func (r *receiver) register() error {
	server := httptest.NewServer(r)
	body, err := json.Marshal(object{"url": server.URL, "secret": r.secret})
	if err != nil {
		return err
	}
	return call{method: "PUT", path: "/api/partner/webhooks", body: body}.send(&object{})
}
