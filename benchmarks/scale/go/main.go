// Command scale measures an informer of client-go, for `python -m benchmarks.scale --go`.
//
//	scale run  KUBECONFIG NAMESPACE full|transform|metadata protobuf|json COUNT EVENTS
//	scale encode    < events as JSON lines    > watch frames as protobuf
//
// `run` prints one JSON object: the figures that worker.py prints for clientgen. Build it beside the modules of
// k8s.io/client-go of the server's release.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const readSeconds = 1.0

func main() {
	if len(os.Args) > 1 && os.Args[1] == "encode" {
		encode()
		return
	}
	if len(os.Args) != 8 || os.Args[1] != "run" {
		log.Fatal("usage: scale run KUBECONFIG NAMESPACE FORM ENCODING COUNT EVENTS, or scale encode")
	}
	run(os.Args[2], os.Args[3], os.Args[4], os.Args[5], number(os.Args[6]), number(os.Args[7]))
}

// run fills an informer, reads its cache, and follows changes.
func run(kubeconfig, namespace, form, encoding string, count, events int) {
	config := load(kubeconfig, encoding)
	before := resident()
	began, spent := time.Now(), cpu()
	informer := newInformer(config, namespace, form)
	follow := &follower{wanted: int64(events)}
	registration, err := informer.AddEventHandler(follow.handlers())
	check(err)
	stop := make(chan struct{})
	go informer.Run(stop)
	for !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	figures := map[string]float64{"sync_s": time.Since(began).Seconds(), "sync_cpu_s": cpu() - spent}
	keys := informer.GetStore().ListKeys()
	if len(keys) != count {
		log.Fatalf("%d objects came, not %d", len(keys), count)
	}
	figures["reads_per_s"] = reads(informer, keys)
	figures["peak_mb"] = status("VmHWM") / 1e6
	debug.FreeOSMemory()
	figures["rss_mb"] = resident() / 1e6
	figures["kept_kb"] = (resident() - before) / 1e3 / float64(count)
	if events > 0 {
		follow.measure(config, namespace, figures)
	}
	close(stop)
	runtime.KeepAlive(informer)
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

func load(kubeconfig, encoding string) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	config.QPS, config.Burst = 10000, 10000
	config.ContentType = "application/json"
	if encoding == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	return config
}

func newInformer(config *rest.Config, namespace, form string) cache.SharedIndexInformer {
	if form == "metadata" {
		client, err := metadata.NewForConfig(config)
		check(err)
		pods := corev1.SchemeGroupVersion.WithResource("pods")
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
		return factory.ForResource(pods).Informer()
	}
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Pods().Informer()
	if form == "transform" {
		check(informer.SetTransform(place))
	}
	return informer
}

// place keeps the fields that the view PodPlace in forms.py has.
func place(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	kept := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
		Labels: pod.Labels, OwnerReferences: pod.OwnerReferences, Generation: pod.Generation,
		DeletionTimestamp: pod.DeletionTimestamp, Finalizers: pod.Finalizers,
	}}
	kept.Spec.NodeName = pod.Spec.NodeName
	kept.Spec.RestartPolicy = pod.Spec.RestartPolicy
	for _, container := range pod.Spec.Containers {
		kept.Spec.Containers = append(kept.Spec.Containers, corev1.Container{Name: container.Name, Image: container.Image})
	}
	kept.Status = corev1.PodStatus{
		Phase: pod.Status.Phase, PodIP: pod.Status.PodIP, HostIP: pod.Status.HostIP, StartTime: pod.Status.StartTime,
	}
	return kept, nil
}

// reads returns how many objects a second a loop reads from the cache by key.
func reads(informer cache.SharedIndexInformer, keys []string) float64 {
	began, done := time.Now(), 0
	for time.Since(began).Seconds() < readSeconds {
		for _, key := range keys[:min(len(keys), 1000)] {
			if _, found, err := informer.GetStore().GetByKey(key); err != nil || !found {
				log.Fatalf("%s is not in the cache", key)
			}
			done++
		}
	}
	return float64(done) / time.Since(began).Seconds()
}

// A follower notes the changes that handlers get, and how late each is: versions are the microseconds of the
// monotonic clock at which the server sent them.
type follower struct {
	wanted int64
	seen   atomic.Int64
	lags   []float64
}

func (f *follower) handlers() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			object := obj.(metav1.Object)
			f.lags = append(f.lags, lag(object.GetResourceVersion()))
			f.seen.Add(1)
		},
	}
}

// measure asks the server for changes at full speed, then for a burst, and notes what they cost.
func (f *follower) measure(config *rest.Config, namespace string, figures map[string]float64) {
	began, spent := time.Now(), cpu()
	f.changes(config, namespace, "full")
	figures["event_cpu_us"] = (cpu() - spent) / float64(f.wanted) * 1e6
	figures["events_per_s"] = float64(f.wanted) / time.Since(began).Seconds()
	f.changes(config, namespace, "burst")
	sort.Float64s(f.lags)
	figures["burst_lag_ms"] = f.lags[len(f.lags)-1] * 1e3
	figures["burst_median_lag_ms"] = f.lags[len(f.lags)/2] * 1e3
}

// changes has the server send changes, and waits until handlers have seen them.
func (f *follower) changes(config *rest.Config, namespace, pace string) {
	f.seen.Store(0)
	f.lags = nil
	client, err := kubernetes.NewForConfig(config)
	check(err)
	path := fmt.Sprintf("/changes/%s/%s/%d", namespace, pace, f.wanted)
	check(client.RESTClient().Post().AbsPath(path).Do(context.Background()).Error())
	for f.seen.Load() < f.wanted {
		time.Sleep(time.Millisecond)
	}
}

// encode reads watch events as JSON lines, and writes them as the frames of a protobuf watch.
func encode() {
	check(metav1.AddMetaToScheme(scheme.Scheme))
	codecs := serializer.NewCodecFactory(scheme.Scheme)
	decoder := codecs.UniversalDeserializer()
	types := k8sruntime.ObjectTyper(scheme.Scheme)
	whole := protobuf.NewSerializer(scheme.Scheme, types)
	raw := protobuf.NewRawSerializer(scheme.Scheme, types)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		check(json.Unmarshal(lines.Bytes(), &event))
		object, _, err := decoder.Decode(event.Object, nil, nil)
		check(err)
		var body, frame bytes.Buffer
		check(whole.Encode(object, &body))
		told := &metav1.WatchEvent{Type: event.Type, Object: k8sruntime.RawExtension{Raw: body.Bytes()}}
		check(raw.Encode(told, &frame))
		check(binary.Write(out, binary.BigEndian, uint32(frame.Len())))
		_, err = out.Write(frame.Bytes())
		check(err)
	}
	check(lines.Err())
	check(out.Flush())
}

func lag(version string) float64 {
	sent, err := strconv.ParseInt(version, 10, 64)
	check(err)
	var now syscall.Timespec
	monotonic(&now)
	return float64(now.Nano())/1e9 - float64(sent)/1e6
}

func cpu() float64 {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

func resident() float64 { return status("VmRSS") }

// status returns a line of the kernel's status of this process, in bytes.
func status(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, name+":") {
			return float64(number(strings.Fields(line)[1])) * 1024
		}
	}
	log.Fatalf("the kernel does not tell %s", name)
	return 0
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
