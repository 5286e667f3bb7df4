// managed-prometheus-check reads a manifest as Google's operator for managed Prometheus reads it, with the operator's own
// types and functions. Of a ClusterPodMonitoring it prints the labels that the operator's scrape configuration gives to a
// pod, sorted by name; of ClusterRules the rules as the operator's evaluator loads them. An unknown member, or what the
// operator refuses, is an error. Standard input: the manifest; arguments: the pod's discovered labels, NAME=VALUE each.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	monitoring "github.com/GoogleCloudPlatform/prometheus-engine/pkg/operator/apis/monitoring/v1"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	yamlv2 "gopkg.in/yaml.v2"
	"sigs.k8s.io/yaml"
)

const project, location, cluster = "a-project", "a-location", "a-cluster"

func target(text []byte, discovered labels.Labels) error {
	var m monitoring.ClusterPodMonitoring
	if err := yaml.UnmarshalStrict(text, &m); err != nil {
		return err
	}
	configs, err := m.ScrapeConfigs(project, location, cluster, monitoring.PrometheusSecretConfigs{})
	if err != nil {
		return err
	}
	for _, made := range configs {
		// The collector reads the configuration from a file; that sets what the operator leaves out.
		file, err := yamlv2.Marshal(made)
		if err != nil {
			return err
		}
		var c config.ScrapeConfig
		if err := yamlv2.UnmarshalStrict(file, &c); err != nil {
			return err
		}
		kept, keep := relabel.Process(discovered, c.RelabelConfigs...)
		if !keep {
			return fmt.Errorf("%s does not keep this pod", c.JobName)
		}
		words := []string{fmt.Sprintf("honor_labels=%v", c.HonorLabels)}
		kept.Range(func(l labels.Label) {
			if !strings.HasPrefix(l.Name, "__") {
				words = append(words, l.Name+"="+l.Value)
			}
		})
		fmt.Println(strings.Join(words, " "))
	}
	return nil
}

func rules(text []byte) error {
	var r monitoring.ClusterRules
	if err := yaml.UnmarshalStrict(text, &r); err != nil {
		return err
	}
	file, err := r.RuleGroupsConfig(project, location, cluster)
	fmt.Print(file)
	return err
}

func check(arguments []string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var meta struct{ Kind string }
	if err := yaml.Unmarshal(text, &meta); err != nil {
		return err
	}
	switch meta.Kind {
	case "ClusterPodMonitoring":
		discovered := map[string]string{}
		for _, argument := range arguments {
			name, value, _ := strings.Cut(argument, "=")
			discovered[name] = value
		}
		return target(text, labels.FromMap(discovered))
	case "ClusterRules":
		return rules(text)
	}
	return fmt.Errorf("kind %q is neither ClusterPodMonitoring nor ClusterRules", meta.Kind)
}

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
