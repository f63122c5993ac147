// Checks the histories of ./cantle chaos with Porcupine: whether the calls on each key are
// linearizable. Prints figures, ends with 0 if all are, 1 if one is not or the search was given up,
// 2 if the histories cannot be read.
package main

import (
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const longestSearch = 20 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Println("usage: porcupine FOLDER")
		os.Exit(2)
	}
	found, err := read(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	keys := make([]string, 0, len(found))
	operations := 0
	for key, calls := range found {
		keys = append(keys, key)
		operations += len(calls)
	}
	sort.Strings(keys)
	violations, undecided := 0, 0
	for _, key := range keys {
		switch porcupine.CheckOperationsTimeout(cacheKey, found[key], longestSearch) {
		case porcupine.Illegal:
			violations++
			fmt.Printf("violation: %s is not linearizable\n", key)
		case porcupine.Unknown:
			undecided++
			fmt.Printf("undecided: %s within %s\n", key, longestSearch)
		}
	}
	fmt.Printf("operations: %d\nkeys: %d\nundecided: %d\nviolations: %d\n",
		operations, len(keys), undecided, violations)
	if violations+undecided > 0 {
		os.Exit(1)
	}
}
