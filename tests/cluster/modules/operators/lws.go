package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	lws "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/controllers"
	"sigs.k8s.io/lws/pkg/webhooks"
)

func addLWSToScheme(scheme *runtime.Scheme) error {
	return lws.AddToScheme(scheme)
}

func setUpLWS(_ context.Context, manager ctrl.Manager) error {
	if err := controllers.SetupIndexes(manager.GetFieldIndexer()); err != nil {
		return err
	}
	recorder := manager.GetEventRecorderFor("leaderworkerset")
	sets := controllers.NewLeaderWorkerSetReconciler(manager.GetClient(), manager.GetScheme(), recorder)
	if err := sets.SetupWithManager(manager); err != nil {
		return err
	}
	pods := controllers.NewPodReconciler(manager.GetClient(), manager.GetScheme(), recorder, nil)
	if err := pods.SetupWithManager(manager); err != nil {
		return err
	}
	if err := webhooks.SetupLeaderWorkerSetWebhook(manager); err != nil {
		return err
	}
	return webhooks.NewPodWebhook(nil).Setup(manager)
}
