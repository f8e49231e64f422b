type Mistake = readonly [kind: string, from: string | RegExp, to: string, answer: RegExp];

/** A kind of resource, a text of it, a mistake in that place, and the API server's answer. */
export const MISTAKES: readonly Mistake[] = [
  ['Deployment', 'readinessProbe:', 'readinesProbe:', /unknown field|not declared/],
  ['Deployment', 'containerPort: 8080', 'containerPort: 80800', /between 1 and 65535/],
  ['Deployment', /(matchLabels:\n.+name): property-finance/, '$1: finance', /not match template `labels`/],
  ['Deployment', 'memory: 512Mi', 'memory: 128Mi', /less than or equal to memory limit/],
  ['Deployment', /- name: secrets\n(\s+)secret:/, '- name: secret\n$1secret:', /Not found: "secrets"/],
  ['PodDisruptionBudget', /( +maxUnav.+)/, '$1\n  minAvailable: 1', /cannot be both set/],
  ['HorizontalPodAutoscaler', 'maxReplicas: 5', 'maxReplicas: 1', /greater than or equal to `minReplicas`/],
  ['NetworkPolicy', 'protocol: UDP', 'protocol: DNS', /Unsupported value: "DNS"/],
  ['Job', 'restartPolicy: Never', 'restartPolicy: Always', /restartPolicy: Required value/],
  ['Service', 'targetPort: http', 'targetPort: HTTP port', /targetPort: Invalid value/],
  ['ServiceMonitor', 'authorization:', 'authorisation:', /unknown field|not declared/],
  ['Pod', 'runAsNonRoot: true', 'runAsNonRoot: false', /violates PodSecurity "restricted/],
  ['Pod', /capabilities:\n\s+drop:\n\s+- ALL/, 'capabilities: {}', /violates PodSecurity "restricted/],
];
