package org.example.login;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.oauth2.server.authorization.OAuth2TokenType;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;

/** Spring Authorization Server as the guide configures it: Server PORT. */
@SpringBootApplication
class Server {
  record User(UUID id, UUID subscriberId) {}

  interface Users {
    User find(String name);
  }

  @Bean
  Users users() {
    var user = new User(UUID.randomUUID(), UUID.randomUUID());
    return name -> user;
  }

  @Bean
  OAuth2TokenCustomizer<JwtEncodingContext> heraldClaims(Users users) {
    return context -> {
      if (!OAuth2TokenType.ACCESS_TOKEN.equals(context.getTokenType())) return;
      var user = users.find(context.getPrincipal().getName());
      context.getClaims()
          .audience(List.of("herald"))
          .claim("user_id", user.id().toString())
          .claim("subscriber_id", user.subscriberId().toString());
    };
  }

  public static void main(String[] words) {
    var server = "spring.security.oauth2.authorizationserver.";
    var client = server + "client.app.registration.";
    var application = new SpringApplication(Server.class);
    application.setDefaultProperties(Map.of(
        "server.port", words[0],
        server + "issuer", "http://127.0.0.1:" + words[0],
        client + "client-id", "app",
        client + "client-secret", "{noop}secret",
        client + "client-authentication-methods", "client_secret_post",
        client + "authorization-grant-types", "client_credentials",
        client + "scopes", "notifications:create,change-entries:read"));
    application.run();
  }
}
