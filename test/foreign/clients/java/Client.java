import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.example.herald.ApiClient;
import org.example.herald.api.NotificationsApi;

/** Lists, marks and follows notifications with the generated client: Client BASE_URL TOKEN. */
class Client {
  public static void main(String[] words) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(words[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + words[1]));
    var api = new NotificationsApi(client);

    var notifications = api.listNotifications(5, null, null, null, null, null, null, null, null, null, null, null).getData().getNotifications();
    for (var notification : notifications) {
      System.out.println("listed " + notification.getId() + " " + notification.getMetadata().getMention().getSnippet());
    }
    var marked = api.markNotificationRead(notifications.get(0).getId()).getData();
    System.out.println("marked " + marked.getId() + " " + (marked.getReadAt() != null));
    System.out.println("unread " + api.countUnreadNotifications(null).getData().getUnreadCount());

    // The generated method would wait for the end of the stream, so its connection and token are used.
    var request = HttpRequest.newBuilder(URI.create(client.getBaseUri() + "/notifications/stream"));
    client.getRequestInterceptor().accept(request);
    String name = "";
    try (var lines = client.getHttpClient().send(request.build(), BodyHandlers.ofLines()).body()) {
      for (var iterator = lines.iterator(); iterator.hasNext();) {
        var line = iterator.next();
        if (line.startsWith("event: ")) {
          name = line.substring("event: ".length());
          System.out.println("event " + name);
        }
        if (line.startsWith("data: ") && name.equals("notification")) {
          var id = client.getObjectMapper().readTree(line.substring("data: ".length())).get("id").asText();
          System.out.println("followed " + id);
          System.exit(0);
        }
      }
    }
    throw new IllegalStateException("The stream ended");
  }
}
