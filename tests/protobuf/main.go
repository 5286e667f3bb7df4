// protobuf-frames RECORDING FRAMES: the pods, Jobs, nodes and Events of a recording (tests/data/recordings), in its order, as the
// frames that a watch in protobuf sends: a list's items as ADDED. Kubernetes' own types and serializer write them, so that they
// share nothing with the reader under test (tests/operator/test_protobuf.c).
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

type record struct {
	Stream string          `json:"r"`
	Kind   string          `json:"k"`
	Event  json.RawMessage `json:"e"`
}

var kinds = map[string]struct {
	version schema.GroupVersion
	kind    string
	new     func() runtime.Object
}{
	"pods":   {corev1.SchemeGroupVersion, "Pod", func() runtime.Object { return &corev1.Pod{} }},
	"nodes":  {corev1.SchemeGroupVersion, "Node", func() runtime.Object { return &corev1.Node{} }},
	"events": {corev1.SchemeGroupVersion, "Event", func() runtime.Object { return &corev1.Event{} }},
	"jobs":   {batchv1.SchemeGroupVersion, "Job", func() runtime.Object { return &batchv1.Job{} }},
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "protobuf-frames:", err)
		os.Exit(1)
	}
}

func write(out *gzip.Writer, serializer *protobuf.Serializer, stream, event string, object []byte) {
	kind := kinds[stream]
	typed := kind.new()
	check(json.Unmarshal(object, typed))
	typed.GetObjectKind().SetGroupVersionKind(kind.version.WithKind(kind.kind))
	var raw bytes.Buffer
	check(serializer.Encode(typed, &raw))
	frame := metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: raw.Bytes()}}
	message, err := frame.Marshal()
	check(err)
	check(binary.Write(out, binary.BigEndian, uint32(len(message))))
	_, err = out.Write(message)
	check(err)
}

func main() {
	if len(os.Args) != 3 {
		check(fmt.Errorf("usage: protobuf-frames RECORDING FRAMES"))
	}
	file, err := os.Open(os.Args[1])
	check(err)
	var in io.Reader = file
	if strings.HasSuffix(os.Args[1], ".gz") {
		in, err = gzip.NewReader(file)
		check(err)
	}
	made, err := os.Create(os.Args[2])
	check(err)
	out, err := gzip.NewWriterLevel(made, gzip.BestCompression)
	check(err)
	scheme := runtime.NewScheme()
	check(corev1.AddToScheme(scheme))
	check(batchv1.AddToScheme(scheme))
	serializer := protobuf.NewSerializer(scheme, scheme)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			break
		}
		var r record
		check(json.Unmarshal(line, &r))
		if _, is := kinds[r.Stream]; !is {
			continue
		}
		var event struct {
			Type   string            `json:"type"`
			Object json.RawMessage   `json:"object"`
			Items  []json.RawMessage `json:"items"`
		}
		check(json.Unmarshal(r.Event, &event))
		if r.Kind == "list" {
			for _, item := range event.Items {
				write(out, serializer, r.Stream, "ADDED", item)
			}
		} else if r.Kind == "watch" && event.Type != "BOOKMARK" && event.Type != "ERROR" {
			write(out, serializer, r.Stream, event.Type, event.Object)
		}
	}
	check(out.Close())
	check(made.Close())
}
