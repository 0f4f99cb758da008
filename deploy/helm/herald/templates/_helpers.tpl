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

{{/* The data of the ConfigMap. Helm reads numbers as floats, which toString prints as 1e+06. */}}
{{- define "herald.settings" -}}
{{- $all := dict -}}
{{- range $name, $value := .Values.settings -}}
{{- if kindIs "float64" $value -}}{{- $value = eq (floor $value) $value | ternary (int64 $value) (toJson $value) -}}{{- end -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $all $name (toString $value) -}}{{- end -}}
{{- end -}}
{{- if .Values.kafka.tls -}}{{- $_ := set $all "KAFKA_SSL" "true" -}}{{- end -}}
{{- if .Values.tracing.enabled -}}{{- $_ := set $all "OTEL_EXPORTER_OTLP_ENDPOINT" .Values.tracing.endpoint -}}{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{- define "herald.migrateLabels" -}}
app.kubernetes.io/name: herald-migrate
app.kubernetes.io/component: migrate
app.kubernetes.io/part-of: herald
{{- end -}}

{{/* The spec of the migrate Job. */}}
{{- define "herald.migrate" -}}
backoffLimit: 6
activeDeadlineSeconds: 3600
ttlSecondsAfterFinished: 86400
template:
  metadata:
    labels: {{- include "herald.migrateLabels" . | nindent 6 }}
  spec:
    restartPolicy: OnFailure
    serviceAccountName: herald-migrate
    automountServiceAccountToken: false
    enableServiceLinks: false
    {{- with .Values.imagePullSecrets }}
    imagePullSecrets: {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext: {{- include "herald.podSecurity" . | nindent 6 }}
    containers:
      - name: migrate
        image: {{ include "herald.image" (list . "ingest" .Values.image.ingestDigest) }}
        command: [node, services/ingest/dist/migrate.js]
        envFrom:
          - configMapRef: { name: herald-settings }
        env: {{- include "herald.mongodbUri" (list . "migrate") | nindent 10 }}
        resources:
          requests: { cpu: 50m, memory: 64Mi }
          limits: { cpu: "1", memory: 256Mi }
        securityContext: {{- include "herald.containerSecurity" . | nindent 10 }}
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

{{/* Selects the pods of all processes with an admin port. */}}
{{- define "herald.allServices" -}}
matchExpressions:
  - { key: app.kubernetes.io/name, operator: In, values: [herald-ingest, herald-query, herald-seal] }
{{- end -}}

{{/* The variables with the password of Kafka. */}}
{{- define "herald.kafkaPassword" -}}
# Only if the brokers require it; all three or none.
- name: KAFKA_SASL_MECHANISM
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.kafka }}, key: mechanism, optional: true } }
- name: KAFKA_SASL_USERNAME
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.kafka }}, key: username, optional: true } }
- name: KAFKA_SASL_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.kafka }}, key: password, optional: true } }
{{- end -}}

{{/* The variable and the mounts with which Node.js accepts the brokers' certificates. */}}
{{- define "herald.kafkaCa" -}}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/herald/kafka/ca.crt }
{{- end -}}

{{- define "herald.kafkaCaMounts" -}}
- { name: kafka-ca, mountPath: /etc/herald/kafka, readOnly: true }
{{- end -}}

{{- define "herald.kafkaCaVolumes" -}}
- name: kafka-ca
  secret: { secretName: {{ .Values.secrets.kafkaCa }} }
{{- end -}}

{{/* The variables with the connection string of MongoDB: of a program's own user, or of that of all. */}}
{{- define "herald.mongodbUri" -}}
{{- $secrets := (index . 0).Values.secrets -}}
- name: MONGODB_URI
  valueFrom: { secretKeyRef: { name: {{ get $secrets.mongodbUsers (index . 1) | default $secrets.mongodb }}, key: uri } }
{{- end -}}
