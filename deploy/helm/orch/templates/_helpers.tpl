{{- define "orch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component: (dict "root" $ "component" "apiserver") */}}
{{- define "orch.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "orch.labels" -}}
{{ include "orch.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "orch.image" -}}
{{- $image := .Values.image -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end -}}

{{- define "orch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "orch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Where the pods of a component run: (dict "root" $ "component" "etcd" "values" .Values.etcd) */}}
{{- define "orch.placement" -}}
affinity:
  podAntiAffinity:
    {{- if eq .values.antiAffinity "hard" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "orch.selector" . | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "orch.selector" . | nindent 14 }}
    {{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Name of the secret with a certificate: (dict "root" $ "name" "apiserver") */}}
{{- define "orch.secret" -}}
{{- if and (eq .name "etcd-client") (not .root.Values.etcd.enabled) -}}
{{- required "etcd.external.secretName is needed: the secret with ca.crt, tls.crt and tls.key of a client of etcd" .root.Values.etcd.external.secretName -}}
{{- else -}}
{{ include "orch.fullname" .root }}-{{ .name }}-tls
{{- end -}}
{{- end -}}

{{/* Names of the API server, as JSON */}}
{{- define "orch.apiServerHosts" -}}
{{- $service := printf "%s-apiserver" (include "orch.fullname" .) -}}
{{- $own := list $service (printf "%s.%s" $service .Release.Namespace) (printf "%s.%s.svc" $service .Release.Namespace) (printf "%s.%s.svc.%s" $service .Release.Namespace .Values.clusterDomain) "localhost" "127.0.0.1" -}}
{{- concat $own .Values.apiServer.hosts | uniq | toJson -}}
{{- end -}}

{{/* Certificates of the control plane, as JSON: authority, user, groups, hosts */}}
{{- define "orch.certificates" -}}
{{- $name := include "orch.fullname" . -}}
{{- $namespace := .Release.Namespace -}}
{{- $members := list "localhost" "127.0.0.1" (printf "%s-etcd" $name) (printf "%s-etcd.%s.svc" $name $namespace) (printf "*.%s-etcd-peers.%s.svc" $name $namespace) (printf "*.%s-etcd-peers.%s.svc.%s" $name $namespace .Values.clusterDomain) -}}
{{- $manager := printf "%s-controller-manager" $name -}}
{{- $all := list
  (dict "name" "apiserver" "authority" "ca" "user" "apiserver" "hosts" (include "orch.apiServerHosts" . | fromJsonArray))
  (dict "name" "service-account" "authority" "ca" "user" "service-account" "keepsKey" true)
  (dict "name" "admin" "authority" "ca" "user" "admin" "groups" (list "system:masters"))
  (dict "name" "prometheus" "authority" "ca" "user" "prometheus" "groups" (list "system:monitoring"))
-}}
{{- if .Values.controllerManager.enabled -}}
{{- $user := printf "system:%s-controller-manager" (ternary "orch" "kube" (eq .Values.vocabulary "orch")) -}}
{{- $all = concat $all (list
  (dict "name" "controller-manager" "authority" "ca" "user" $user)
  (dict "name" "controller-manager-server" "authority" "ca" "user" "controller-manager-server" "hosts" (list $manager (printf "%s.%s.svc" $manager $namespace) "localhost" "127.0.0.1"))
) -}}
{{- end -}}
{{- if .Values.etcd.enabled -}}
{{- $all = concat $all (list
  (dict "name" "etcd-member" "authority" "etcd-ca" "user" "etcd-member" "hosts" $members)
  (dict "name" "etcd-client" "authority" "etcd-ca" "user" "apiserver")
) -}}
{{- end -}}
{{- $all | toJson -}}
{{- end -}}

{{- define "orch.etcdEndpoints" -}}
{{- if .Values.etcd.enabled -}}
{{- $name := include "orch.fullname" . -}}
{{- $all := list -}}
{{- range $at := until (int .Values.etcd.replicas) -}}
{{- $all = append $all (printf "https://%s-etcd-%d.%s-etcd-peers.%s.svc:2379" $name $at $name $.Release.Namespace) -}}
{{- end -}}
{{- $all | toJson -}}
{{- else -}}
{{- if not .Values.etcd.external.endpoints -}}{{- fail "etcd.external.endpoints is needed when etcd.enabled is false" -}}{{- end -}}
{{- .Values.etcd.external.endpoints | toJson -}}
{{- end -}}
{{- end -}}
