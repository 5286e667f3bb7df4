// Command trainer-manager runs the controllers of Kubeflow Trainer v2 as their own manager does, but without its
// webhooks, whose certificate is for a Service, and the cluster of this test has no network for Services.
package main

import (
	"flag"
	"os"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/controller"
	runtimecore "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpkg "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	schedulerpluginsv1alpha1 "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
)

func orEnd(err error, what string) {
	if err != nil {
		ctrl.Log.Error(err, what)
		os.Exit(1)
	}
}

func main() {
	health := flag.String("health-probe-bind-address", "127.0.0.1:8081", "where /readyz is served")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, trainer.AddToScheme, jobsetv1alpha2.AddToScheme, schedulerpluginsv1alpha1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Client:                 client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: *health,
	})
	orEnd(err, "no manager")
	orEnd(manager.AddReadyzCheck("readyz", healthz.Ping), "no readyz")
	ctx := ctrl.SetupSignalHandler()
	runtimes, err := runtimecore.New(ctx, manager.GetClient(), manager.GetFieldIndexer())
	orEnd(err, "no runtimes")
	name, err := controller.SetupControllers(manager, runtimes, ctrlpkg.Options{})
	orEnd(err, "no controller "+name)
	orEnd(manager.Start(ctx), "ended")
}
