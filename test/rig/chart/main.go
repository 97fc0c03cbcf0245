// Renders the templates of a chart as Helm does: Go's text/template with Sprig's functions, and those that Helm adds.
// There is no cluster to ask, so `lookup` finds nothing, as with `helm template`.
//
//	go run main.go <folder of the chart> < {"Values": …, "Release": …, "Chart": …}
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func main() {
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart string) error {
	var data map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&data); err != nil {
		return err
	}
	// As in Helm, what a chart does not know is empty.
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap()).Funcs(ofHelm(all))
	files, err := sources(filepath.Join(chart, "templates"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := all.New(file).Parse(string(text)); err != nil {
			return err
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".tpl") {
			continue
		}
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, file, data); err != nil {
			return err
		}
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		if strings.HasSuffix(file, ".txt") || strings.TrimSpace(text) == "" {
			continue
		}
		fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(file), text)
	}
	return nil
}

func sources(folder string) ([]string, error) {
	var files []string
	err := filepath.Walk(folder, func(file string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, file)
		}
		return err
	})
	sort.Strings(files)
	return files, err
}

func ofHelm(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return value, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"lookup": func(version, kind, namespace, name string) map[string]interface{} {
			return map[string]interface{}{}
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		// Sprig's would read this machine's environment.
		"env":       func(string) (string, error) { return "", fmt.Errorf("env is not there in Helm") },
		"expandenv": func(string) (string, error) { return "", fmt.Errorf("expandenv is not there in Helm") },
	}
}
