package main

import (
	"context"
	"strconv"
	"strings"

	ray "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	controllers "github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/dashboardclient"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/types"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
)

// What Ray itself would report of the program that it runs: "SUCCEEDED 1732600000123" (the state, and the end in Unix
// milliseconds). Without this annotation of the RayCluster the program runs.
const programAnnotation = "cluster-test/ray-program"

type dashboard struct {
	utils.FakeRayDashboardClient
	program string
}

func (d *dashboard) GetJobInfo(_ context.Context, id string) (*types.RayJobInfo, error) {
	state, end, isEnded := strings.Cut(d.program, " ")
	info := &types.RayJobInfo{JobId: id, JobStatus: ray.JobStatusRunning}
	if isEnded {
		milliseconds, err := strconv.ParseUint(end, 10, 64)
		if err != nil {
			return nil, err
		}
		info.JobStatus, info.EndTime = ray.JobStatus(state), milliseconds
	}
	return info, nil
}

type dashboards struct{}

func (dashboards) GetDashboardClient(ctrl.Manager) func(*ray.RayCluster, string) (dashboardclient.RayDashboardClientInterface, error) {
	return func(cluster *ray.RayCluster, _ string) (dashboardclient.RayDashboardClientInterface, error) {
		return &dashboard{program: cluster.Annotations[programAnnotation]}, nil
	}
}

func (dashboards) GetHttpProxyClient(ctrl.Manager) func(string, string, string, int) utils.RayHttpProxyClientInterface {
	return nil // of RayServices only, which do not run here
}

func addKubeRayToScheme(scheme *runtime.Scheme) error {
	return ray.AddToScheme(scheme)
}

func setUpKubeRay(ctx context.Context, manager ctrl.Manager) error {
	clusters := controllers.NewReconciler(ctx, manager, controllers.RayClusterReconcilerOptions{})
	if err := clusters.SetupWithManager(manager, 1); err != nil {
		return err
	}
	jobs := controllers.NewRayJobReconciler(ctx, manager, controllers.RayJobReconcilerOptions{}, dashboards{})
	return jobs.SetupWithManager(manager, 1)
}
