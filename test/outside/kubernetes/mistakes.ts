/** Something that must be refused: a text of the rendered resources, and what stands there in its place. */
export interface Mistake {
  readonly name: string;
  /** Whose resource: `Deployment`. */
  readonly kind: string;
  readonly from: string | RegExp;
  readonly to: string;
  /** What the API server says. */
  readonly refusal: RegExp;
}

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'a misspelt field',
    kind: 'Deployment',
    from: 'readinessProbe:',
    to: 'readinesProbe:',
    refusal: /unknown field|field not declared/,
  },
  {
    name: 'a port that there is not',
    kind: 'Deployment',
    from: 'containerPort: 8080',
    to: 'containerPort: 80800',
    refusal: /must be between 1 and 65535/,
  },
  {
    name: 'a selector of other pods',
    kind: 'Deployment',
    from: /(matchLabels:\n +app\.kubernetes\.io\/name): property-finance/,
    to: '$1: finance',
    refusal: /does not match template `labels`/,
  },
  {
    name: 'more memory requested than allowed',
    kind: 'Deployment',
    from: 'memory: 512Mi',
    to: 'memory: 128Mi',
    refusal: /must be less than or equal to memory limit/,
  },
  {
    name: 'a volume that is not defined',
    kind: 'Deployment',
    from: /- name: secrets\n(\s+)secret:/,
    to: '- name: secret\n$1secret:',
    refusal: /volumeMounts.*Not found: "secrets"/s,
  },
  {
    name: 'two ways to count disruptions',
    kind: 'PodDisruptionBudget',
    from: 'maxUnavailable: 1',
    to: 'maxUnavailable: 1\n  minAvailable: 1',
    refusal: /minAvailable and maxUnavailable cannot be both set/,
  },
  {
    name: 'fewer pods at most than at least',
    kind: 'HorizontalPodAutoscaler',
    from: 'maxReplicas: 5',
    to: 'maxReplicas: 1',
    refusal: /must be greater than or equal to `minReplicas`/,
  },
  {
    name: 'a protocol that there is not',
    kind: 'NetworkPolicy',
    from: 'protocol: UDP',
    to: 'protocol: DNS',
    refusal: /Unsupported value: "DNS"/,
  },
  {
    name: 'a Job that starts for ever',
    kind: 'Job',
    from: 'restartPolicy: Never',
    to: 'restartPolicy: Always',
    refusal: /restartPolicy: Required value: valid values: "OnFailure", "Never"/,
  },
  {
    name: 'a service of a port with a name that is none',
    kind: 'Service',
    from: 'targetPort: http',
    to: 'targetPort: HTTP port',
    refusal: /targetPort: Invalid value/,
  },
  {
    name: 'a misspelt field of a ServiceMonitor',
    kind: 'ServiceMonitor',
    from: 'authorization:',
    to: 'authorisation:',
    refusal: /unknown field|field not declared/,
  },
  {
    name: 'a pod that may be root',
    kind: 'Pod',
    from: 'runAsNonRoot: true',
    to: 'runAsNonRoot: false',
    refusal: /violates PodSecurity "restricted/,
  },
  {
    name: 'a pod that keeps its capabilities',
    kind: 'Pod',
    from: /capabilities:\n\s+drop:\n\s+- ALL/,
    to: 'capabilities: {}',
    refusal: /violates PodSecurity "restricted/,
  },
];
