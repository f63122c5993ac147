package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// line is one event of a history as a node wrote it.
type line struct {
	Time     int64  `json:"time"`
	Client   string `json:"client"`
	Number   int64  `json:"number"`
	Type     string `json:"type"`
	Call     string `json:"call"`
	Key      string `json:"key"`
	Expected int64  `json:"expected"`
	Value    int64  `json:"value"`
	Result   *int64 `json:"result"`
}

// histories are the calls of a run by key.
type histories map[string][]porcupine.Operation

// read reads every file of a folder but that of the faults.
func read(folder string) (histories, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	found := histories{}
	for _, file := range files {
		if filepath.Base(file) == "faults.jsonl" {
			continue
		}
		if err := found.add(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no histories in %s", folder)
	}
	return found, nil
}

func (found histories) add(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	open := map[int64]line{}
	reader := bufio.NewReader(file)
	for number := 1; ; number++ {
		text, end := reader.ReadString('\n')
		if end != nil && end != io.EOF {
			return end
		}
		if strings.TrimSpace(text) != "" {
			var event line
			if err := json.Unmarshal([]byte(text), &event); err != nil {
				if end == io.EOF {
					// The process was killed in the middle of its last line.
					break
				}
				return fmt.Errorf("line %d: %w", number, err)
			}
			if event.Type == "invoke" {
				open[event.Number] = event
			} else if invoke, ok := open[event.Number]; ok {
				delete(open, event.Number)
				found.call(invoke, event)
			} else {
				return fmt.Errorf("line %d ends a call that never began", number)
			}
		}
		if end == io.EOF {
			break
		}
	}
	for _, invoke := range open {
		found.call(invoke, line{Type: "info"})
	}
	return nil
}

// call adds a call that says something about the order of things.
func (found histories) call(invoke, end line) {
	reads := invoke.Call == "GET" || invoke.Call == "READ"
	inDoubt := end.Type != "ok"
	if invoke.Call == "ITERATE" || end.Type == "fail" || (reads && inDoubt) {
		return
	}
	operation := porcupine.Operation{
		Input:  input{invoke.Call, invoke.Key, invoke.Expected, invoke.Value},
		Call:   invoke.Time,
		Output: output{},
		Return: end.Time,
	}
	if inDoubt {
		// It may take effect at any time, or never, which is the same as after everything else.
		operation.Return = math.MaxInt64
	} else if end.Result != nil {
		operation.Output = output{true, *end.Result}
	}
	found[invoke.Key] = append(found[invoke.Key], operation)
}
