// Command job-operators NAME runs the controllers of one kind of job as that project's own manager does:
// training-operator (PyTorchJobs), lws (LeaderWorkerSets, with its webhooks), kuberay (RayClusters and RayJobs). The
// first and the last run without webhooks, whose certificate is for a Service, and this cluster has no network for those.
package main

import (
	"context"
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

type operator struct {
	addToScheme func(*runtime.Scheme) error
	setUp       func(context.Context, ctrl.Manager) error
}

var operators = map[string]operator{
	"training-operator": {addTrainingToScheme, setUpTraining},
	"lws":               {addLWSToScheme, setUpLWS},
	"kuberay":           {addKubeRayToScheme, setUpKubeRay},
}

func orEnd(err error, what string) {
	if err != nil {
		ctrl.Log.Error(err, what)
		os.Exit(1)
	}
}

func main() {
	health := flag.String("health-probe-bind-address", "127.0.0.1:8081", "where /readyz is served")
	port := flag.Int("webhook-port", 9443, "where webhooks are served on loopback, by those that have any")
	certificates := flag.String("webhook-cert-dir", "", "holds their tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	chosen, found := operators[flag.Arg(0)]
	if !found {
		ctrl.Log.Info("usage: job-operators [FLAGS] training-operator|lws|kuberay")
		os.Exit(2)
	}

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(chosen.addToScheme(scheme))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: *health,
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates}),
	})
	orEnd(err, "no manager")
	orEnd(manager.AddReadyzCheck("readyz", healthz.Ping), "no readyz")
	ctx := ctrl.SetupSignalHandler()
	orEnd(chosen.setUp(ctx, manager), "no controllers")
	orEnd(manager.Start(ctx), "ended")
}
