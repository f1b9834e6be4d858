#!/usr/bin/env bash
# Runs functions of kubectl's script suites (test/cmd/*.sh of Kubernetes) against a server that runs already.
#
#   run.sh KUBERNETES FOLDER PORT FUNCTION...
#
# KUBERNETES is a checkout. FOLDER gets a copy of what the suites need, and results.txt: a line for each function with
# its name, its exit code and its seconds. Its output is in FOLDER/FUNCTION.log. The suites run the `kubectl` beside
# this file. The environment names the programs that it runs: ORCH, KUBECTL.
set -o nounset -o pipefail
kubernetes=$1 folder=$2 port=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds_max=${SECONDS_MAX:-900}

mkdir -p "$folder/_output/bin" "$folder/hack"
ln -sfn "$kubernetes/test" "$kubernetes/third_party" "$folder/"
ln -sfn "$kubernetes/hack/lib" "$kubernetes/hack/testdata" "$folder/hack/"
ln -sfn "$here/kubectl" "$folder/_output/bin/kubectl"
cd "$folder" || exit 1
folder=$PWD

# Commands that orch has, from the lines of its help: two blanks, a name, and its summary.
node "$ORCH" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' > commands.txt
export ORCH_COMMANDS=${ORCH_COMMANDS:-$folder/commands.txt} ORCH_CALLS=$folder/calls.txt KUBECTL ORCH

# What test-cmd.sh and legacy-script.sh set. Everything of the latter is read but what starts servers.
export TERM=xterm KUBE_ROOT=$folder SUPPORTED_RESOURCES="*" ALLOW_SKEW=1 SECURE_API_PORT=$port SED=sed
export THIS_PLATFORM_BIN=$folder/_output/bin KUBE_JUNIT_REPORT_DIR=$folder/junit PATH=$folder/_output/bin:$PATH
for file in hack/lib/util.sh hack/lib/logging.sh hack/lib/test.sh test/cmd/*.sh; do
  [[ $file == *legacy-script.sh ]] || source "$file"
done
between() { sed -n "/$1/,/$2/p" test/cmd/legacy-script.sh | sed "/$2/d"; }
source <(
  between '^ETCD_HOST=' '^# A junit-style'
  between '^function stop-proxy' '^function cleanup'
  between '^# Executes curl against' '^# Code to be run before'
  between '^create_and_use_new_namespace' '^# Runs all kubectl tests'
  grep -E '^  export [a-z_0-9]+=' test/cmd/legacy-script.sh
)
set +o errexit +o nounset
kube::util::ensure-temp-dir() { :; }

export KUBE_TEMP=$folder/temporary TMPDIR=$folder/temporary HOME=$folder/home
rm -rf "$HOME"
mkdir -p "$KUBE_TEMP" "$HOME"
# The suites of `config` embed the certificate of the server, which is in this file. Any certificate will do.
cp hack/testdata/ca/ca.crt "$TMPDIR/apiserver.crt"
preserve_err_file=false CONTEXT=test
kube_flags=(-s "https://127.0.0.1:$port" --insecure-skip-tls-verify)
kube_flags_without_token=("${kube_flags[@]}")
kube_flags_with_token=("${kube_flags[@]}" --token=admin-token)
{
  "$KUBECTL" config set-credentials test-admin --token=admin-token
  "$KUBECTL" config set-cluster local --insecure-skip-tls-verify --server="https://127.0.0.1:$port"
  "$KUBECTL" config set-context test --user=test-admin --cluster=local
  "$KUBECTL" config use-context test
  echo '{"kind":"Node","apiVersion":"v1","metadata":{"name":"127.0.0.1"},"status":{"capacity":{"memory":"1Gi"}}}' |
    "$KUBECTL" create -f -
} > setup.log 2>&1

# Each function has a home folder, with a discovery cache, and a process group of its own. The objects that a failed one
# leaves may break those after it: the run ends with it.
set -o monitor
setup=$HOME
rm -rf "$setup/.kube/cache"
for name in "$@"; do
  start=$SECONDS
  HOME=$folder/homes/$name KUBE_TEMP=$folder/temporary/$name ERROR_FILE=$folder/temporary/$name/error
  mkdir -p "$folder/homes" "$KUBE_TEMP"
  cp -r "$setup" "$HOME"
  (
    set -o errexit -o nounset
    # Some functions expect the namespace that those before them have made.
    create_and_use_new_namespace
    $name
  ) > "$name.log" 2>&1 < /dev/null &
  running=$!
  (
    sleep "$seconds_max"
    kill -9 -- -$running
  ) > /dev/null 2>&1 < /dev/null &
  clock=$!
  wait $running
  code=$?
  kill -9 -- -$running -$clock
  wait $clock
  echo "$name $code $((SECONDS - start))" >> results.txt
  [[ $code == 0 ]] || exit 0
done 2> /dev/null
