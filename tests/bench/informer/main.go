// informer KUBECONFIG: the least that a client-go program does to keep up with pods of Jobs, nodes, jobs and events:
// shared informers with their stores and handlers that only count. The yardstick of `make bench-operator`.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 2 {
		check(fmt.Errorf("usage: informer KUBECONFIG"))
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	client, err := kubernetes.NewForConfig(config)
	check(err)
	var events atomic.Int64
	count := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add(1) },
		UpdateFunc: func(any, any) { events.Add(1) },
		DeleteFunc: func(any) { events.Add(1) },
	}
	selected := func(change func(*metav1.ListOptions)) informers.SharedInformerFactory {
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(change))
	}
	pods := selected(func(o *metav1.ListOptions) { o.LabelSelector = "batch.kubernetes.io/job-name" })
	podEvents := selected(func(o *metav1.ListOptions) { o.FieldSelector = "involvedObject.kind=Pod" })
	rest := informers.NewSharedInformerFactory(client, 0)
	for _, informer := range []cache.SharedIndexInformer{
		pods.Core().V1().Pods().Informer(), podEvents.Core().V1().Events().Informer(),
		rest.Core().V1().Nodes().Informer(), rest.Batch().V1().Jobs().Informer(),
	} {
		_, err = informer.AddEventHandler(count)
		check(err)
	}
	stop := make(chan struct{})
	for _, factory := range []informers.SharedInformerFactory{pods, podEvents, rest} {
		factory.Start(stop)
		factory.WaitForCacheSync(stop)
	}
	fmt.Println("synced")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	<-signals
	fmt.Println(events.Load(), "events")
}
