// A correct webhook receiver: PORT=… SECRET=… EFFECTS=file go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

type subject struct {
	PublicID string `json:"public_id"`
	CaseID   string `json:"case_id"`
	Status   string `json:"status"`
}

type event struct {
	ID        string                     `json:"id"`
	Type      string                     `json:"type"`
	CreatedAt string                     `json:"created_at"`
	Data      map[string]json.RawMessage `json:"data"`
}

var lock sync.Mutex

func verify(rawBody []byte, signatures []string) bool {
	mac := hmac.New(sha256.New, []byte(os.Getenv("SECRET")))
	mac.Write(rawBody)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	return len(signatures) == 1 && hmac.Equal(expected, []byte(signatures[0]))
}

// Writes the id and the effect in one line, so that neither is there without the other.
func processOnce(e event) error {
	if !strings.HasPrefix(e.Type, "order.") && !strings.HasPrefix(e.Type, "brokerage.") {
		return nil
	}
	var s subject
	for _, key := range []string{"order", "case"} {
		if raw, found := e.Data[key]; found {
			if err := json.Unmarshal(raw, &s); err != nil {
				return err
			}
		}
	}
	lock.Lock()
	defer lock.Unlock()
	done, err := os.ReadFile(os.Getenv("EFFECTS"))
	if err != nil || strings.Contains(string(done), e.ID+" ") {
		return err
	}
	file, err := os.OpenFile(os.Getenv("EFFECTS"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%s %s%s %s %s\n", e.ID, s.PublicID, s.CaseID, e.CreatedAt, s.Status)
	return err
}

func receive(w http.ResponseWriter, r *http.Request) {
	rawBody, err := io.ReadAll(r.Body)
	if err != nil || !verify(rawBody, r.Header.Values("X-Service-Signature")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(rawBody, &e); err != nil || processOnce(e) != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func main() {
	http.HandleFunc("/", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
