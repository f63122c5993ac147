package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The checker in Java reads the same histories, in HandMadeHistoriesTest.
func TestHandMadeHistories(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	if err != nil || len(folders) < 20 {
		t.Fatalf("%d histories, %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			found, err := read(filepath.Join("testdata", folder.Name()))
			if err != nil {
				t.Fatal(err)
			}
			good := true
			for _, calls := range found {
				if porcupine.CheckOperationsTimeout(cacheKey, calls, time.Minute) != porcupine.Ok {
					good = false
				}
			}
			if good != strings.HasPrefix(folder.Name(), "good-") {
				t.Errorf("linearizable: %v", good)
			}
		})
	}
}
