/** Broker settings for Docker and for programs, without addresses and folders. */
export const brokerSettings = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  // A cluster of one broker cannot have a second replica.
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'offsets.topic.num.partitions': '5',
  'auto.create.topics.enable': 'false',
  // By default a new group waits 3 s for further members.
  'group.initial.rebalance.delay.ms': '0',
  // A killed broker that restarts waits until its previous session has timed out, 9 s by default.
  'broker.heartbeat.interval.ms': '500',
  'broker.session.timeout.ms': '6000',
} as const
