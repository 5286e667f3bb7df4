// dashboard-check reads Grafana dashboards as Grafana's own SDK defines them: unknown members, wrong types and missing
// options are errors, one per line. Grafana itself is not among the modules that this project may use (AGPL).
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var d dashboard.Dashboard
	// An error without text is an empty list of errors.
	if err := d.UnmarshalJSONStrict(text); err != nil && err.Error() != "" {
		return err
	}
	return d.Validate()
}

func main() {
	plugins.RegisterDefaultPlugins()
	status := 0
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Printf("%s: %v\n", path, err)
			status = 1
		}
	}
	os.Exit(status)
}
