/** What a broker of ours is told, however it runs; addresses and folders aside. */
export const brokerSettings = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  // A cluster of one can keep no second copy.
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'offsets.topic.num.partitions': '5',
  'auto.create.topics.enable': 'false',
  // The default waits 3 s for further members before a group starts.
  'group.initial.rebalance.delay.ms': '0',
  // A broker killed and started anew waits for its former self to time out, 9 s by default.
  'broker.heartbeat.interval.ms': '500',
  'broker.session.timeout.ms': '3000',
} as const
