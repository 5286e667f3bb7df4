// Command api-lint runs kube-api-linter, the gate of JobSet's and Kueue's APIs, over the Go types of goodput.dev and
// prints what it finds, a line each:
//
//	api-lint lint.yaml ./v1alpha1
//
// lint.yaml is kube-api-linter's own configuration. A finding is excused by a comment at the end of its line,
//
//	//nolint:nophase // the reason
//
// which names the linter. An excuse without a reason, or one that excuses nothing, is a finding too. The last line has
// the counts; the exit code is 1 if a finding is left.
package main

import (
	"fmt"
	"go/token"
	"os"
	"regexp"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	kubeapilinter "sigs.k8s.io/kube-api-linter"
	"sigs.k8s.io/yaml"
)

type place struct {
	file   string
	line   int
	linter string
}

var excuse = regexp.MustCompile(`//nolint:([a-z,]+)(?: // (\S.*))?$`)

// excusesOf reads the excuses of the packages' files; true: it excused something.
func excusesOf(pkgs []*packages.Package) (excuses map[place]bool, findings []string) {
	excuses = map[place]bool{}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			for _, group := range file.Comments {
				for _, comment := range group.List {
					match := excuse.FindStringSubmatch(comment.Text)
					if match == nil {
						continue
					}
					at := pkg.Fset.Position(comment.Pos())
					if match[2] == "" {
						findings = append(findings, fmt.Sprintf("%s: an excuse needs its reason: //nolint:%s // why", at, match[1]))
					}
					for _, linter := range strings.Split(match[1], ",") {
						excuses[place{at.Filename, at.Line, linter}] = false
					}
				}
			}
		}
	}
	return excuses, findings
}

func run(settings string, patterns []string) (excused int, findings []string, err error) {
	text, err := os.ReadFile(settings)
	if err != nil {
		return 0, nil, err
	}
	var config map[string]any
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", settings, err)
	}
	plugin, err := kubeapilinter.New(config)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", settings, err)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", settings, err)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		return 0, nil, err
	}
	if packages.PrintErrors(pkgs) > 0 || len(pkgs) == 0 {
		return 0, nil, fmt.Errorf("%s: the types do not compile", strings.Join(patterns, " "))
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return 0, nil, err
	}
	excuses, findings := excusesOf(pkgs)
	for _, action := range graph.Roots {
		if action.Err != nil {
			return 0, nil, fmt.Errorf("%s: %w", action.Analyzer.Name, action.Err)
		}
		for _, diagnostic := range action.Diagnostics {
			at := action.Package.Fset.Position(diagnostic.Pos)
			here := place{at.Filename, at.Line, action.Analyzer.Name}
			if _, is := excuses[here]; is {
				excuses[here] = true
				excused++
				continue
			}
			findings = append(findings, fmt.Sprintf("%s: %s: %s", at, action.Analyzer.Name, diagnostic.Message))
		}
	}
	for here, used := range excuses {
		if !used {
			at := token.Position{Filename: here.file, Line: here.line}
			findings = append(findings, fmt.Sprintf("%s: %s: this excuse excuses nothing", at, here.linter))
		}
	}
	sort.Strings(findings)
	return excused, findings, nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: api-lint CONFIG PACKAGE...")
		os.Exit(2)
	}
	excused, findings, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "api-lint:", err)
		os.Exit(2)
	}
	for _, finding := range findings {
		fmt.Println(finding)
	}
	fmt.Printf("%d findings, %d excused\n", len(findings), excused)
	if len(findings) > 0 {
		os.Exit(1)
	}
}
