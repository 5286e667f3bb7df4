// The first process of a pod: it holds the pod's namespaces until it is killed.
package main

import "time"

func main() {
	for {
		time.Sleep(time.Hour)
	}
}
