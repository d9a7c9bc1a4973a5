{{- define "tidings.labels" -}}
app.kubernetes.io/name: tidings
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/part-of: tidings
{{- end }}

{{- define "tidings.helmLabels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tidings.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* Settings of the Job kafka-access: those of `config` that concern Kafka. */}}
{{- define "tidings.kafkaAccessConfig" -}}
image: {{ include "tidings.image" . | quote }}
{{- range $name, $value := .Values.config }}
{{- if or (hasPrefix "KAFKA_" $name) (eq $name "TIDINGS_RPC_UNSIGNED") }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* An environment variable from a Secret: a list of name, Secret, and `true` if it is optional. */}}
{{- define "tidings.fromSecret" -}}
{{- $name := index . 0 -}}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ $name }}
      {{- if gt (len .) 2 }}
      optional: true
      {{- end }}
{{- end }}

{{- /* What every pod has: no privileges. */}}
{{- define "tidings.podSecurity" -}}
automountServiceAccountToken: false
# The cluster's variables for its Services are unused, and some look like variables of Tidings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "tidings.container" -}}
name: tidings
image: {{ include "tidings.image" . | quote }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: ['ALL'] }
{{- end }}

{{- define "tidings.kafkaTlsVolume" -}}
- name: kafka-tls
  secret: { secretName: {{ .tlsSecret }}, optional: {{ not .tlsRequired }} }
{{- end }}
