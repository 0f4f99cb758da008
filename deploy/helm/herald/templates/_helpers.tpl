{{/* An image by its digest, or else by the tag. Takes a list: the root context, the name and the digest. */}}
{{- define "herald.image" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $digest := index . 2 -}}
{{- if $digest -}}
{{ $root.Values.image.repository }}/{{ $name }}@{{ $digest }}
{{- else -}}
{{ $root.Values.image.repository }}/{{ $name }}:{{ $root.Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* The data of the ConfigMap. */}}
{{- define "herald.settings" -}}
{{- $all := dict -}}
{{- range $name, $value := .Values.settings -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $all $name (toString $value) -}}{{- end -}}
{{- end -}}
{{- if .Values.kafka.tls -}}{{- $_ := set $all "KAFKA_SSL" "true" -}}{{- end -}}
{{- if .Values.tracing.enabled -}}{{- $_ := set $all "OTEL_EXPORTER_OTLP_ENDPOINT" .Values.tracing.endpoint -}}{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{/* A topic by its setting, or its default name. */}}
{{- define "herald.topic" -}}
{{- $settings := index . 0 -}}
{{- $name := index . 1 -}}
{{- $default := index . 2 -}}
{{- get $settings $name | default $default -}}
{{- end -}}

{{- define "herald.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "herald.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Spreads the pods of an app over zones and nodes. Takes the app. */}}
{{- define "herald.spread" -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: { app.kubernetes.io/name: {{ $ }} } }
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}

{{/* Probes and the end of a service's container. Liveness fails when the process can't make progress; an unavailable dependency is no reason to restart. */}}
{{- define "herald.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
# Requests are served until every gateway has noticed that the pod is terminating.
lifecycle:
  preStop: { sleep: { seconds: 5 } }
{{- end -}}

{{/* Selects the pods of both services. */}}
{{- define "herald.bothServices" -}}
matchExpressions:
  - { key: app.kubernetes.io/name, operator: In, values: [herald-ingest, herald-query] }
{{- end -}}

{{/* The variables with the connection string of MongoDB. */}}
{{- define "herald.mongodbUri" -}}
- name: MONGODB_URI
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.mongodb }}, key: uri } }
{{- end -}}
